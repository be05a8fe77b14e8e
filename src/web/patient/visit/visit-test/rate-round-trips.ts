import type { LineQuality } from '#contract/visit-call.ts';

/** Round-trip times in milliseconds, without and with `letters` characters each way. */
export type RoundTrips = { short: number[]; long: number[]; letters: number };

/** The minimum for a clear picture, and for audio alone, in bits per second. */
const FOR_VIDEO = 600_000;
const FOR_AUDIO = 60_000;
/** With a longer delay both sides start to talk at the same time. */
const LATE_MS = 400;
const LONGEST_MS = 1_500;

/** Rates the best of several samples, because other load on the device is not the connection's fault. */
export function rateRoundTrips({ short, long, letters }: RoundTrips): LineQuality {
  if (short.length === 0 || long.length === 0) return 'broken';
  const roundTrip = Math.min(...short);
  const transferMs = Math.max(1, Math.min(...long) - roundTrip);
  const bitsPerSecond = (2 * letters * 8 * 1000) / transferMs;
  if (roundTrip > LONGEST_MS || bitsPerSecond < FOR_AUDIO) return 'broken';
  return roundTrip > LATE_MS || bitsPerSecond < FOR_VIDEO ? 'thin' : 'good';
}
