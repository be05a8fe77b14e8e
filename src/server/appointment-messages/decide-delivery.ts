import type { MessageSettings } from '#contract/message-settings.ts';
import type { UnsentReason } from '#contract/message-templates.ts';
import type { PlannedAppointment, StoredMessage } from './plan-messages.ts';
import { endOfQuiet, isQuiet, reminderTime } from './reminder-time.ts';

/** Whether to send the message now, never, or later. */
type DeliveryDecision = { send: true } | { skip: UnsentReason } | { wait: Date };
type DeliveryInput = {
  row: StoredMessage & { tries: number };
  appointment: Pick<PlannedAppointment, 'status' | 'startAt'>;
  inCare: boolean;
  settings: MessageSettings;
  /** The patient's time zone. */
  timeZone: string;
  /** All stored messages of the appointment. */
  stored: StoredMessage[];
  now: Date;
};

/** Decides on a due message: the appointment, the patient or the settings may have changed since it was planned. */
export function decideDelivery({
  row,
  appointment,
  inCare,
  settings,
  timeZone,
  stored,
  now,
}: DeliveryInput): DeliveryDecision {
  const reason = staleReason(row, appointment, now);
  if (reason) return { skip: reason };
  if (!inCare && row.kind !== 'cancellation') return { skip: 'not_in_care' };
  // A message that a staff user sends again ignores quiet hours.
  if (row.kind !== 'reminder' || row.turn > 0) return { send: true };
  const isEnabled = settings.sends.reminder && settings.reminders.includes(row.minutesBefore);
  if (!isEnabled || !settings.reminder_channels.some((channel) => channel === row.channel)) return { skip: 'off' };
  const { quiet } = settings;
  const due = reminderTime(row.startAt, row.minutesBefore, quiet, timeZone);
  if (row.tries === 0 && due > now) return { wait: due };
  if (stored.some((other) => supersedes(other, row, now))) return { skip: 'replaced' };
  if (!quiet || !isQuiet(now, quiet, timeZone)) return { send: true };
  const morning = endOfQuiet(now, quiet, timeZone);
  return morning < row.startAt ? { wait: morning } : { skip: 'quiet' };
}

/** The plan job for the change may not have run yet. */
function staleReason(row: StoredMessage, appointment: DeliveryInput['appointment'], now: Date): UnsentReason | null {
  const isAnnouncement = row.kind !== 'reminder';
  if (appointment.status !== (row.kind === 'cancellation' ? 'canceled' : 'scheduled'))
    return isAnnouncement ? 'overtaken' : 'canceled';
  if (appointment.startAt.getTime() !== row.startAt.getTime()) return isAnnouncement ? 'overtaken' : 'moved';
  return appointment.startAt <= now ? 'over' : null;
}

/** Of two reminders due at the same time, only the one closer to the appointment is sent. */
const supersedes = (other: StoredMessage, row: StoredMessage, now: Date): boolean =>
  other.kind === 'reminder' &&
  other.turn === 0 &&
  other.channel === row.channel &&
  other.startAt.getTime() === row.startAt.getTime() &&
  other.minutesBefore < row.minutesBefore &&
  other.dueAt <= now &&
  ['planned', 'sending', 'sent'].includes(other.state);
