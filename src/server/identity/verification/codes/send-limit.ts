import { DAY } from '#server/core/clock.ts';
import { CODE_POLICY } from './code-policy.ts';

const { knownDevice, unknownSource, allUnknownSources } = CODE_POLICY;

/** A message sent in the last 24 hours whose code has not been used. */
export type UnusedSend = { purpose: string; sentAt: Date };
export type Requester = { known: boolean; purpose: string };
/**
 * The messages to one person that count for the caller, newest first: those requested by known devices, or by the same
 * unknown source; and the number requested by all unknown sources.
 */
export type UnusedSends = { own: UnusedSend[]; unknown: number };
/**
 * Milliseconds until the caller may get a message, the proof of work that it costs, and the digits of its code. The
 * message after it has to wait for `next` milliseconds, and for `nextDay`: the rest of the day after the day's last
 * message, else 0.
 */
export type SendLimit = { wait: number; bits: number | null; digits: number; next: number; nextDay: number };

const { perDay, leastBits, mostBits, moreBitsEvery } = allUnknownSources;
/** At this many requests of unknown sources the work reaches its maximum; there is no need to count further. */
export const MOST_COUNTED = perDay + (mostBits - leastBits) * moreBitsEvery;

/** Returns the remaining milliseconds of a span that starts at `at`. */
export const until = (at: Date | undefined, span: number, now: Date): number =>
  at ? Math.max(0, at.getTime() + span - now.getTime()) : 0;

export function sendLimitOf({ own, unknown }: UnusedSends, { known, purpose }: Requester, now: Date): SendLimit {
  const { perDay } = known ? knownDevice : unknownSource;
  const waitAfter = known ? waitOfKnown : waitOfUnknown;
  const samePurpose = own.filter((send) => send.purpose === purpose);
  const wait = Math.max(
    until(samePurpose[0]?.sentAt, waitAfter(samePurpose.length), now),
    until(own[perDay - 1]?.sentAt, DAY, now),
  );
  const nextDay = until([now, ...own.map(({ sentAt }) => sentAt)][perDay - 1], DAY, now);
  const bits = known ? null : bitsOf(unknown);
  const digits = bits === null ? CODE_POLICY.digits : allUnknownSources.digits;
  return { wait, bits, digits, next: waitAfter(samePurpose.length + 1), nextDay };
}

/** Wait after this many unused codes. */
const waitOfKnown = (codes: number): number => (codes > 1 ? knownDevice.laterWait : knownDevice.firstWait);
const waitOfUnknown = (codes: number): number => unknownSource.firstWait * unknownSource.growth ** (codes - 1);

const bitsOf = (unknown: number): number | null =>
  unknown < perDay ? null : Math.min(mostBits, leastBits + Math.floor((unknown - perDay) / moreBitsEvery));
