import type { LineQuality } from '#contract/visit-call.ts';

/** Milliseconds of questions without and with `letters` each way. */
export type Timed = { short: number[]; long: number[]; letters: number };

/** A picture that is easy on the eye, and sound alone; bits a second. */
const FOR_VIDEO = 600_000;
const FOR_AUDIO = 60_000;
/** Beyond it both sides begin to talk at once. */
const LATE_MS = 400;
const LONGEST_MS = 1_500;

/** The best of several: what else the machine does at this moment is no fault of the line. */
export function qualityOf({ short, long, letters }: Timed): LineQuality {
  if (short.length === 0 || long.length === 0) return 'broken';
  const there = Math.min(...short);
  const carrying = Math.max(1, Math.min(...long) - there);
  const bitsPerSecond = (2 * letters * 8 * 1000) / carrying;
  if (there > LONGEST_MS || bitsPerSecond < FOR_AUDIO) return 'broken';
  return there > LATE_MS || bitsPerSecond < FOR_VIDEO ? 'thin' : 'good';
}
