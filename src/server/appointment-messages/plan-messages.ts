import type { MessageSettings } from '#contract/message-settings.ts';
import type { MessageChannel, MessageKind, UnsentReason } from '#contract/message-templates.ts';
import { SECOND } from '#server/core/clock.ts';
import { reminderTime } from './reminder-time.ts';

/** The columns of an appointment that messages depend on. */
export type PlannedAppointment = { status: string; startAt: Date; updatedAt: Date };
/** The columns of a stored message. */
export type StoredMessage = {
  id: string;
  kind: string;
  channel: string;
  minutesBefore: number;
  startAt: Date;
  sequence: number;
  turn: number;
  dueAt: Date;
  state: string;
  why: string | null;
  /** The appointment whose calendar entry this one continues; null for an entry of its own. */
  entryId?: string | null;
};
type NewMessage = {
  kind: MessageKind;
  channel: MessageChannel;
  minutesBefore: number;
  sequence: number;
  dueAt: Date;
  state: 'planned' | 'skipped';
  why: UnsentReason | null;
  entryId?: string | null;
};
type MessagePlan = {
  create: NewMessage[];
  update: { id: string; state: 'planned' | 'skipped'; why: UnsentReason | null; dueAt?: Date }[];
};
/** The change of the appointment; null when it is planned again after a change of the settings. */
export type AppointmentChange = { topic: string; there: boolean; undoable?: boolean } | null;

/**
 * How long the news of a change that staff can undo waits. If the change is undone before, the patient gets none; longer
 * than the portal offers the undo.
 */
const UNDO_MS = 15 * SECOND;

export type PlanInput = {
  appointment: PlannedAppointment;
  stored: StoredMessage[];
  settings: MessageSettings;
  /** The patient's time zone. */
  timeZone: string;
  inCare: boolean;
  now: Date;
  cause: AppointmentChange;
  /** The plan job of the booking has yet to run. */
  isBookingUnplanned: boolean;
  /** The unsent cancellation of an appointment that this booking replaces, and whose calendar entry it continues. */
  rebooked?: { entryId: string; sequence: number } | null;
};

/** Reasons of messages that were never sent because something newer replaced them. */
const NEVER_SENT: (string | null)[] = ['overtaken'];
const IMMEDIATE = { channel: 'email', minutesBefore: 0, sequence: 0 } as const;
const OVERTAKEN = { state: 'skipped', why: 'overtaken' } as const;
/** Reasons that may become obsolete, so that a skipped reminder is planned again. */
const RECOVERABLE: (string | null)[] = ['moved', 'canceled', 'off', 'not_in_care'];

/** Plans the messages of an appointment from its row, the settings and the stored messages. Idempotent. */
export function planMessages(input: PlanInput): MessagePlan {
  const announcement = planAnnouncement(input);
  const reminders = planReminders(input);
  return {
    create: [...announcement.create, ...reminders.create],
    update: [...announcement.update, ...reminders.update],
  };
}

const isReminder = ({ kind }: StoredMessage) => kind === 'reminder';

/** Plans the message for a booking, reschedule or cancellation: each once, and only the newest unsent one. */
function planAnnouncement({
  appointment,
  stored,
  settings,
  inCare,
  now,
  cause,
  isBookingUnplanned,
  rebooked = null,
}: PlanInput): MessagePlan {
  const all = stored.filter((one) => !isReminder(one)).sort((a, b) => a.sequence - b.sequence || a.turn - b.turn);
  const isTrue = ({ kind, startAt }: StoredMessage) =>
    appointment.status === (kind === 'cancellation' ? 'canceled' : 'scheduled') &&
    startAt.getTime() === appointment.startAt.getTime();
  const stale = all.filter((one) => one.state === 'planned' && !isTrue(one));
  const update: MessagePlan['update'] = stale.map(({ id }) => ({ id, state: 'skipped', why: 'overtaken' }));
  const announced = all.filter(
    (one) => !stale.includes(one) && !(one.state === 'skipped' && NEVER_SENT.includes(one.why)),
  );
  const entryId = rebooked?.entryId ?? all.find((one) => one.entryId)?.entryId ?? null;
  const kind =
    appointment.startAt > now
      ? announcementKind(appointment, announced.at(-1) ?? null, {
          cause,
          isNew: all.length === 0,
          isBookingUnplanned,
          isContinued: entryId !== null,
        })
      : null;
  if (!kind) {
    // Booked and canceled before any message was sent: stores that, so that the plan jobs that run later or again send
    // nothing either.
    const isOurs = isBookingUnplanned || (cause?.topic === 'scheduled' && !(cause.there && settings.provider_mails));
    const isSuperseded = isOurs && all.length === 0 && appointment.status === 'canceled' && appointment.startAt > now;
    return { create: isSuperseded ? [{ ...IMMEDIATE, kind: 'confirmation', dueAt: now, ...OVERTAKEN }] : [], update };
  }
  const why = skipReason(kind, { settings, cause, inCare });
  const sequence = Math.max(-1, rebooked?.sequence ?? -1, ...all.map((one) => one.sequence)) + 1;
  const state = why ? 'skipped' : 'planned';
  const dueAt = cause?.undoable ? new Date(now.getTime() + UNDO_MS) : now;
  return { create: [{ ...IMMEDIATE, kind, sequence, dueAt, state, why, entryId }], update };
}

function announcementKind(
  { status, startAt }: PlannedAppointment,
  last: StoredMessage | null,
  {
    cause,
    isNew,
    isBookingUnplanned,
    isContinued,
  }: { cause: AppointmentChange; isNew: boolean; isBookingUnplanned: boolean; isContinued: boolean },
): Exclude<MessageKind, 'reminder'> | null {
  if (status === 'scheduled') {
    if (last?.kind === 'cancellation') return 'confirmation';
    if (last) return last.startAt.getTime() === startAt.getTime() ? null : 'move';
    // No other time was sent yet: confirms the booking at its current time, and its own plan job finds it confirmed.
    if (isBookingUnplanned) return 'confirmation';
    // For an appointment older than the message feature, only new changes are sent.
    if (isNew && cause?.topic === 'rescheduled') return 'move';
    return cause?.topic === 'scheduled' || !isNew ? 'confirmation' : null;
  }
  if (status !== 'canceled' || last?.kind === 'cancellation') return null;
  // The patient knows of the time from the appointment that this one continues.
  return last || isContinued || (isNew && cause?.topic === 'canceled' && !isBookingUnplanned) ? 'cancellation' : null;
}

function skipReason(
  kind: MessageKind,
  { settings, cause, inCare }: Pick<PlanInput, 'settings' | 'cause' | 'inCare'>,
): UnsentReason | null {
  if (!settings.sends[kind]) return 'off';
  if (cause?.there && settings.provider_mails) return 'there';
  // An archived patient gets cancellations and nothing else.
  return inCare || kind === 'cancellation' ? null : 'not_in_care';
}

function planReminders({ appointment, stored, settings, timeZone, inCare, now, cause }: PlanInput): MessagePlan {
  const isLive = appointment.status === 'scheduled' && appointment.startAt > now;
  const isWanted = isLive && inCare && settings.sends.reminder;
  // A reminder that became due while this job waited is late and still sent; none is planned for before the booking or
  // reschedule.
  const since = cause ? appointment.updatedAt : now;
  const slots = settings.reminder_channels.flatMap((channel) =>
    settings.reminders.map((minutesBefore) => ({
      channel,
      minutesBefore,
      dueAt: reminderTime(appointment.startAt, minutesBefore, settings.quiet, timeZone),
    })),
  );
  const wanted = isWanted ? slots.filter(({ dueAt }) => dueAt > since || dueAt > now) : [];
  const rows = stored.filter((one) => isReminder(one) && one.turn === 0);
  const isOf = (row: StoredMessage, slot: (typeof slots)[number]) =>
    row.startAt.getTime() === appointment.startAt.getTime() &&
    row.channel === slot.channel &&
    row.minutesBefore === slot.minutesBefore;
  const update: MessagePlan['update'] = rows.flatMap((row): MessagePlan['update'] => {
    const slot = wanted.find((one) => isOf(row, one));
    const moves = slot && row.state === 'planned' && row.dueAt.getTime() !== slot.dueAt.getTime();
    if (moves || (slot && row.state === 'skipped' && RECOVERABLE.includes(row.why)))
      return [{ id: row.id, state: 'planned', why: null, dueAt: slot.dueAt }];
    // A due reminder has been decided already, unless the appointment has changed.
    const isDue = row.dueAt <= now && isWanted && slots.some((one) => isOf(row, one));
    if (row.state !== 'planned' || slot || isDue) return [];
    return [{ id: row.id, state: 'skipped', why: reminderSkipReason(row, appointment, { inCare, now }) }];
  });
  const missing = wanted.filter((slot) => !rows.some((row) => isOf(row, slot)));
  return {
    create: missing.map((slot) => ({ ...slot, kind: 'reminder', sequence: 0, state: 'planned', why: null })),
    update,
  };
}

function reminderSkipReason(
  row: StoredMessage,
  appointment: PlannedAppointment,
  { inCare, now }: { inCare: boolean; now: Date },
): UnsentReason {
  if (appointment.status !== 'scheduled') return 'canceled';
  if (row.startAt.getTime() !== appointment.startAt.getTime()) return 'moved';
  if (!inCare) return 'not_in_care';
  return appointment.startAt <= now ? 'over' : 'off';
}
