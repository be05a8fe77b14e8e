import type { AppointmentView } from '#contract/scheduling.ts';
import type { VisitMessageView } from '#contract/visit-messages.ts';

type Message = Pick<VisitMessageView, 'kind' | 'state' | 'visit_at' | 'why'>;
type Appointment = Pick<AppointmentView, 'status' | 'from_date'>;

/**
 * What staff can do about a message at `now` (epoch milliseconds), or null. The server sends no message about a time or a
 * status that the appointment no longer has.
 */
export function messageAction(
  { kind, state, visit_at, why }: Message,
  { status, from_date }: Appointment,
  now: number,
): 'skip' | 'send' | null {
  if (state === 'sending' || why === 'rebooked' || Date.parse(visit_at) <= now) return null;
  if (state === 'planned') return why === null ? 'skip' : null;
  const isCurrent = status === (kind === 'cancellation' ? 'canceled' : 'scheduled');
  return isCurrent && Date.parse(from_date) === Date.parse(visit_at) ? 'send' : null;
}
