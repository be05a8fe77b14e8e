export { closeCall } from './close-call.ts';
export { iceServers } from './ice-servers.ts';
export { findSeat, parseSeatKey } from './seated/find-seat.ts';
export { followCall, recordHeartbeat } from './seated/follow-call.ts';
export { leaveCall } from './seated/leave-call.ts';
export { reportCall } from './seated/report-call.ts';
export { sendSignal } from './seated/signals.ts';
