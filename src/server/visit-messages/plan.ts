import type { MessageSettings } from '#contract/message-settings.ts';
import type { MessageChannel, MessageKind, MessageWhy } from '#contract/message-words.ts';
import { reminderTime } from './reminder-time.ts';

/** A visit, as far as messages are about it. */
export type Visit = { status: string; startAt: Date; updatedAt: Date };
/** What is written down of a message already. */
export type Known = {
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
export type Made = {
  kind: MessageKind;
  channel: MessageChannel;
  minutesBefore: number;
  sequence: number;
  dueAt: Date;
  state: 'planned' | 'skipped';
  why: MessageWhy | null;
};
export type Plan = {
  make: Made[];
  change: { id: string; state: 'planned' | 'skipped'; why: MessageWhy | null; dueAt?: Date }[];
};
/** What has happened to the visit; null where it is only looked at again, after the clinic has changed what it sends. */
export type News = { topic: string; there: boolean } | null;

type World = {
  visit: Visit;
  known: Known[];
  settings: MessageSettings;
  /** The patient's. */
  timeZone: string;
  inCare: boolean;
  now: Date;
  news: News;
  /** Its booking has yet to be told by us: whoever plans that comes later than this. */
  isUntold: boolean;
};

/** They were never said: something newer took their place. */
const UNSAID: (string | null)[] = ['overtaken'];
const AT_ONCE = { channel: 'email', minutesBefore: 0, sequence: 0 } as const;
const OVERTAKEN = { state: 'skipped', why: 'overtaken' } as const;
/** What was given up for a reason that may pass. */
const REVIVED: (string | null)[] = ['moved', 'canceled', 'off', 'not_in_care'];

/**
 * What is to be sent of a visit, worked out of its row and the clinic's settings, and of what is written down already.
 * Asked again, it finds nothing more to do.
 */
export function planMessages(world: World): Plan {
  const told = planNews(world);
  const reminders = planReminders(world);
  return { make: [...told.make, ...reminders.make], change: [...told.change, ...reminders.change] };
}

const isReminder = ({ kind }: Known) => kind === 'reminder';

/** A booking, a move, a cancellation: told once each, and only the newest that was not told yet. */
function planNews({ visit, known, settings, inCare, now, news, isUntold }: World): Plan {
  const all = known.filter((one) => !isReminder(one)).sort((a, b) => a.sequence - b.sequence || a.turn - b.turn);
  const isTrue = ({ kind, startAt }: Known) =>
    visit.status === (kind === 'cancellation' ? 'canceled' : 'scheduled') &&
    startAt.getTime() === visit.startAt.getTime();
  const stale = all.filter((one) => one.state === 'planned' && !isTrue(one));
  const change: Plan['change'] = stale.map(({ id }) => ({ id, state: 'skipped', why: 'overtaken' }));
  const said = all.filter((one) => !stale.includes(one) && !(one.state === 'skipped' && UNSAID.includes(one.why)));
  const kind =
    visit.startAt > now ? newsOf(visit, said.at(-1) ?? null, { news, isNew: all.length === 0, isUntold }) : null;
  if (!kind) {
    // Booked and canceled before anybody was told: that is written down, so that whoever plans the one or the other later, or
    // once more, tells nothing of it either.
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
  { status, startAt }: Visit,
  last: Known | null,
  { news, isNew, isUntold }: { news: News; isNew: boolean; isUntold: boolean },
): Exclude<MessageKind, 'reminder'> | null {
  if (status === 'scheduled') {
    if (last?.kind === 'cancellation') return 'confirmation';
    if (last) return last.startAt.getTime() === startAt.getTime() ? null : 'move';
    // Nobody was told of another time: the booking is told as it is by now, and whoever comes for that finds it told.
    if (isUntold) return 'confirmation';
    // Of a visit of before there were messages only what is new is told.
    if (isNew && news?.topic === 'rescheduled') return 'move';
    return news?.topic === 'scheduled' || !isNew ? 'confirmation' : null;
  }
  if (status !== 'canceled' || last?.kind === 'cancellation') return null;
  return last || (isNew && news?.topic === 'canceled' && !isUntold) ? 'cancellation' : null;
}

function whyNot(
  kind: MessageKind,
  { settings, news, inCare }: Pick<World, 'settings' | 'news' | 'inCare'>,
): MessageWhy | null {
  if (!settings.sends[kind]) return 'off';
  if (news?.there && settings.provider_mails) return 'there';
  // Who has been archived is told that their visits are canceled, and nothing else.
  return inCare || kind === 'cancellation' ? null : 'not_in_care';
}

function planReminders({ visit, known, settings, timeZone, inCare, now, news }: World): Plan {
  const isLive = visit.status === 'scheduled' && visit.startAt > now;
  const isWanted = isLive && inCare && settings.sends.reminder;
  // What fell due while this waited is late, and still to be sent; nothing is of before the visit was booked or moved.
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
  const isOf = (row: Known, slot: (typeof slots)[number]) =>
    row.startAt.getTime() === visit.startAt.getTime() &&
    row.channel === slot.channel &&
    row.minutesBefore === slot.minutesBefore;
  const change: Plan['change'] = rows.flatMap((row): Plan['change'] => {
    const slot = wanted.find((one) => isOf(row, one));
    const moves = slot && row.state === 'planned' && row.dueAt.getTime() !== slot.dueAt.getTime();
    if (moves || (slot && row.state === 'skipped' && REVIVED.includes(row.why)))
      return [{ id: row.id, state: 'planned', why: null, dueAt: slot.dueAt }];
    // One that is due already has been decided upon, unless the visit is another now.
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

function whyNoReminder(row: Known, visit: Visit, { inCare, now }: { inCare: boolean; now: Date }): MessageWhy {
  if (visit.status !== 'scheduled') return 'canceled';
  if (row.startAt.getTime() !== visit.startAt.getTime()) return 'moved';
  if (!inCare) return 'not_in_care';
  return visit.startAt <= now ? 'over' : 'off';
}
