import type { AppointmentView } from '#contract/scheduling.ts';

export type AppointmentPhase = 'ahead' | 'running' | 'over' | 'ended';

/** Phase of an appointment at `now` (epoch milliseconds); `ended` means canceled or no-show. */
export function phaseOf(
  { status, from_date, to_date }: Pick<AppointmentView, 'status' | 'from_date' | 'to_date'>,
  now: number,
): AppointmentPhase {
  if (status !== 'scheduled') return 'ended';
  if (Date.parse(from_date) > now) return 'ahead';
  return Date.parse(to_date) > now ? 'running' : 'over';
}

export type AppointmentAction = 'join' | 'move' | 'cancel' | 'no_show';
/** Actions that each phase allows; the server rejects the others. */
const ACTS: Record<AppointmentPhase, AppointmentAction[]> = {
  ahead: ['join', 'move', 'cancel'],
  running: ['join', 'no_show', 'cancel'],
  over: ['no_show'],
  ended: [],
};
export const allowedActions = (phase: AppointmentPhase): readonly AppointmentAction[] => ACTS[phase];
