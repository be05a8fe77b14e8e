import { DAY, MINUTE, SECOND } from '#server/core/clock.ts';

/** A known device's. Whatever strangers ask for, the next code is at most a minute away. */
const KNOWN = { firstWait: 30 * SECOND, laterWait: 60 * SECOND, day: 30 };
/**
 * All others' together. A source that nobody else stands beside may ask once more, for a text gets lost and a page is
 * closed; beside others it has one. For who has signed in by text before, the first one's code goes on working for the
 * second, and nothing more is sent: so strangers send them as many texts as they have addresses.
 */
const UNKNOWN = { resendWait: 30 * SECOND, alone: 2, besideOthers: 1, atOnce: 50, pauseBeyond: 15 * MINUTE };
/** From so many strangers' messages on the next one costs work: about a second in a browser, then more. */
const WORK = { from: 10, every: 10, leastBits: 18, mostBits: 22 };

/** A message of the last 24 hours whose code was not told. */
export type StandingSend = { source: string; known: boolean; purpose: string; sentAt: Date };
export type Asker = Pick<StandingSend, 'source' | 'known' | 'purpose'>;
/** Milliseconds until the asker may be sent a message, the work that it costs, and the wait after it. */
export type Lane = { wait: number; bits: number | null; next: number };

/** What is left of a span that began then. */
export const until = (at: Date | undefined, span: number, now: Date): number =>
  at ? Math.max(0, at.getTime() + span - now.getTime()) : 0;

/** @param standing of one person, the newest first */
export const laneOf = (standing: StandingSend[], asker: Asker, now: Date): Lane =>
  asker.known ? laneOfKnown(standing, asker, now) : laneOfStranger(standing, asker, now);

function laneOfKnown(standing: StandingSend[], { purpose }: Asker, now: Date): Lane {
  const own = standing.filter((send) => send.known);
  const alike = own.filter((send) => send.purpose === purpose);
  const wait = Math.max(
    until(alike[0]?.sentAt, alike.length > 1 ? KNOWN.laterWait : KNOWN.firstWait, now),
    until(own[KNOWN.day - 1]?.sentAt, DAY, now),
  );
  const isLast = own.length + 1 >= KNOWN.day;
  const next = isLast ? until([now, ...own.map(({ sentAt }) => sentAt)][KNOWN.day - 1], DAY, now) : 0;
  return { wait, bits: null, next: Math.max(next, alike.length > 0 ? KNOWN.laterWait : KNOWN.firstWait) };
}

function laneOfStranger(standing: StandingSend[], { source, purpose }: Asker, now: Date): Lane {
  const strangers = standing.filter((send) => !send.known);
  const own = strangers.filter((send) => send.source === source);
  const most = own.length < strangers.length ? UNKNOWN.besideOthers : UNKNOWN.alone;
  const wait = Math.max(
    until(own.find((send) => send.purpose === purpose)?.sentAt, UNKNOWN.resendWait, now),
    until(own[most - 1]?.sentAt, DAY, now),
    strangers.length >= UNKNOWN.atOnce ? until(strangers[0]!.sentAt, UNKNOWN.pauseBeyond, now) : 0,
  );
  const steps = Math.floor((strangers.length - WORK.from) / WORK.every);
  return {
    wait,
    bits: steps < 0 ? null : Math.min(WORK.mostBits, WORK.leastBits + steps),
    next: until([now, ...own.map(({ sentAt }) => sentAt)][most - 1], DAY, now) || UNKNOWN.resendWait,
  };
}
