import type { MessageSettings } from '#contract/message-settings.ts';
import type { MessageChannel, MessageKind, UnsentReason } from '#contract/message-templates.ts';
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
};
export type NewMessage = {
  kind: MessageKind;
  channel: MessageChannel;
  minutesBefore: number;
  sequence: number;
  dueAt: Date;
  state: 'planned' | 'skipped';
  why: UnsentReason | null;
};
export type MessagePlan = {
  make: NewMessage[];
  change: { id: string; state: 'planned' | 'skipped'; why: UnsentReason | null; dueAt?: Date }[];
};
/** The change of the appointment; null when it is planned again after a change of the settings. */
export type AppointmentChange = { topic: string; there: boolean } | null;

type World = {
  visit: PlannedAppointment;
  known: StoredMessage[];
  settings: MessageSettings;
  /** The patient's time zone. */
  timeZone: string;
  inCare: boolean;
  now: Date;
  news: AppointmentChange;
  /** The plan job of the booking has yet to run. */
  isUntold: boolean;
};

/** Reasons of messages that were never sent because something newer replaced them. */
const UNSAID: (string | null)[] = ['overtaken'];
const AT_ONCE = { channel: 'email', minutesBefore: 0, sequence: 0 } as const;
const OVERTAKEN = { state: 'skipped', why: 'overtaken' } as const;
/** Reasons that may become obsolete, so that a skipped reminder is planned again. */
const REVIVED: (string | null)[] = ['moved', 'canceled', 'off', 'not_in_care'];

/** Plans the messages of an appointment from its row, the settings and the stored messages. Idempotent. */
export function planMessages(world: World): MessagePlan {
  const told = planNews(world);
  const reminders = planReminders(world);
  return { make: [...told.make, ...reminders.make], change: [...told.change, ...reminders.change] };
}

const isReminder = ({ kind }: StoredMessage) => kind === 'reminder';

/** Plans the message for a booking, reschedule or cancellation: each once, and only the newest unsent one. */
function planNews({ visit, known, settings, inCare, now, news, isUntold }: World): MessagePlan {
  const all = known.filter((one) => !isReminder(one)).sort((a, b) => a.sequence - b.sequence || a.turn - b.turn);
  const isTrue = ({ kind, startAt }: StoredMessage) =>
    visit.status === (kind === 'cancellation' ? 'canceled' : 'scheduled') &&
    startAt.getTime() === visit.startAt.getTime();
  const stale = all.filter((one) => one.state === 'planned' && !isTrue(one));
  const change: MessagePlan['change'] = stale.map(({ id }) => ({ id, state: 'skipped', why: 'overtaken' }));
  const said = all.filter((one) => !stale.includes(one) && !(one.state === 'skipped' && UNSAID.includes(one.why)));
  const kind =
    visit.startAt > now ? newsOf(visit, said.at(-1) ?? null, { news, isNew: all.length === 0, isUntold }) : null;
  if (!kind) {
    // Booked and canceled before any message was sent: stores that, so that the plan jobs that run later or again send
    // nothing either.
    const isOurs = isUntold || (news?.topic === 'scheduled' && !(news.there && settings.provider_mails));
    const isUnsaid = isOurs && all.length === 0 && visit.status === 'canceled' && visit.startAt > now;
    return { make: isUnsaid ? [{ ...AT_ONCE, kind: 'confirmation', dueAt: now, ...OVERTAKEN }] : [], change };
  }
  const why = whyNot(kind, { settings, news, inCare });
  const sequence = all.length === 0 ? 0 : Math.max(...all.map((one) => one.sequence)) + 1;
  const state = why ? 'skipped' : 'planned';
  return { make: [{ kind, channel: 'email', minutesBefore: 0, sequence, dueAt: now, state, why }], change };
}

function newsOf(
  { status, startAt }: PlannedAppointment,
  last: StoredMessage | null,
  { news, isNew, isUntold }: { news: AppointmentChange; isNew: boolean; isUntold: boolean },
): Exclude<MessageKind, 'reminder'> | null {
  if (status === 'scheduled') {
    if (last?.kind === 'cancellation') return 'confirmation';
    if (last) return last.startAt.getTime() === startAt.getTime() ? null : 'move';
    // No other time was sent yet: confirms the booking at its current time, and its own plan job finds it confirmed.
    if (isUntold) return 'confirmation';
    // For an appointment older than the message feature, only new changes are sent.
    if (isNew && news?.topic === 'rescheduled') return 'move';
    return news?.topic === 'scheduled' || !isNew ? 'confirmation' : null;
  }
  if (status !== 'canceled' || last?.kind === 'cancellation') return null;
  return last || (isNew && news?.topic === 'canceled' && !isUntold) ? 'cancellation' : null;
}

function whyNot(
  kind: MessageKind,
  { settings, news, inCare }: Pick<World, 'settings' | 'news' | 'inCare'>,
): UnsentReason | null {
  if (!settings.sends[kind]) return 'off';
  if (news?.there && settings.provider_mails) return 'there';
  // An archived patient gets cancellations and nothing else.
  return inCare || kind === 'cancellation' ? null : 'not_in_care';
}

function planReminders({ visit, known, settings, timeZone, inCare, now, news }: World): MessagePlan {
  const isLive = visit.status === 'scheduled' && visit.startAt > now;
  const isWanted = isLive && inCare && settings.sends.reminder;
  // A reminder that became due while this job waited is late and still sent; none is planned for before the booking or
  // reschedule.
  const since = news ? visit.updatedAt : now;
  const slots = settings.reminder_channels.flatMap((channel) =>
    settings.reminders.map((minutesBefore) => ({
      channel,
      minutesBefore,
      dueAt: reminderTime(visit.startAt, minutesBefore, settings.quiet, timeZone),
    })),
  );
  const wanted = isWanted ? slots.filter(({ dueAt }) => dueAt > since || dueAt > now) : [];
  const rows = known.filter((one) => isReminder(one) && one.turn === 0);
  const isOf = (row: StoredMessage, slot: (typeof slots)[number]) =>
    row.startAt.getTime() === visit.startAt.getTime() &&
    row.channel === slot.channel &&
    row.minutesBefore === slot.minutesBefore;
  const change: MessagePlan['change'] = rows.flatMap((row): MessagePlan['change'] => {
    const slot = wanted.find((one) => isOf(row, one));
    const moves = slot && row.state === 'planned' && row.dueAt.getTime() !== slot.dueAt.getTime();
    if (moves || (slot && row.state === 'skipped' && REVIVED.includes(row.why)))
      return [{ id: row.id, state: 'planned', why: null, dueAt: slot.dueAt }];
    // A due reminder has been decided already, unless the appointment has changed.
    const isDue = row.dueAt <= now && isWanted && slots.some((one) => isOf(row, one));
    if (row.state !== 'planned' || slot || isDue) return [];
    return [{ id: row.id, state: 'skipped', why: whyNoReminder(row, visit, { inCare, now }) }];
  });
  const fresh = wanted.filter((slot) => !rows.some((row) => isOf(row, slot)));
  return {
    make: fresh.map((slot) => ({ ...slot, kind: 'reminder', sequence: 0, state: 'planned', why: null })),
    change,
  };
}

function whyNoReminder(
  row: StoredMessage,
  visit: PlannedAppointment,
  { inCare, now }: { inCare: boolean; now: Date },
): UnsentReason {
  if (visit.status !== 'scheduled') return 'canceled';
  if (row.startAt.getTime() !== visit.startAt.getTime()) return 'moved';
  if (!inCare) return 'not_in_care';
  return visit.startAt <= now ? 'over' : 'off';
}
