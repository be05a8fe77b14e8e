export { deliverMessage, type FindAppLink } from './deliver-message.ts';
export { listCodes } from './list-codes.ts';
export type { Message, PatientMessage, RequestedBy } from './message.ts';
export { sendMessage } from './send-message.ts';
export { englishTime } from './templates/format-time.ts';
export { renderEmail } from './templates/render-email.ts';
