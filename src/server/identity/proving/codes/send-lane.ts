import { DAY } from '#server/core/clock.ts';
import { CODE_POLICY } from './code-policy.ts';

const { knownDevice, unknownSource, allUnknownSources } = CODE_POLICY;

/** A message of the last 24 hours whose code was not used. */
export type StandingSend = { purpose: string; sentAt: Date };
export type Asker = { known: boolean; purpose: string };
/**
 * Of one person, what counts for the asker: the messages that known devices asked for, or those that the same unknown source
 * did, newest first; and how many all unknown sources asked for together.
 */
export type Standing = { own: StandingSend[]; unknown: number };
/**
 * Milliseconds until the asker may be sent a message, the work that it costs, and the digits of its code. After it the next
 * one waits for `next` milliseconds, and for `nextDay`: the rest of the day where it was the day's last, else 0.
 */
export type Lane = { wait: number; bits: number | null; digits: number; next: number; nextDay: number };

const { perDay, leastBits, mostBits, moreBitsEvery } = allUnknownSources;
/** So many requests of unknown sources cost the most work; counting further changes nothing. */
export const MOST_COUNTED = perDay + (mostBits - leastBits) * moreBitsEvery;

/** What is left of a span that began then. */
export const until = (at: Date | undefined, span: number, now: Date): number =>
  at ? Math.max(0, at.getTime() + span - now.getTime()) : 0;

export function laneOf({ own, unknown }: Standing, { known, purpose }: Asker, now: Date): Lane {
  const { perDay } = known ? knownDevice : unknownSource;
  const growing = known ? waitOfKnown : waitOfUnknown;
  const alike = own.filter((send) => send.purpose === purpose);
  const wait = Math.max(until(alike[0]?.sentAt, growing(alike.length), now), until(own[perDay - 1]?.sentAt, DAY, now));
  const nextDay = until([now, ...own.map(({ sentAt }) => sentAt)][perDay - 1], DAY, now);
  const bits = known ? null : bitsOf(unknown);
  const digits = bits === null ? CODE_POLICY.digits : allUnknownSources.digits;
  return { wait, bits, digits, next: growing(alike.length + 1), nextDay };
}

/** The wait after so many codes that were not used. */
const waitOfKnown = (codes: number): number => (codes > 1 ? knownDevice.laterWait : knownDevice.firstWait);
const waitOfUnknown = (codes: number): number => unknownSource.firstWait * unknownSource.growth ** (codes - 1);

const bitsOf = (unknown: number): number | null =>
  unknown < perDay ? null : Math.min(mostBits, leastBits + Math.floor((unknown - perDay) / moreBitsEvery));
