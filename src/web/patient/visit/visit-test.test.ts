import { expect, test } from 'vitest';
import { rateRoundTrips } from './visit-test.tsx';

/** The time in milliseconds of a round trip with 48,000 characters at a speed in kbit/s. */
const at = (kilobits: number) => (2 * 48_000 * 8) / kilobits;

test.each([
  ['fast', [20, 30], [20 + at(20_000)], 'good'],
  ['just fast enough for video', [50], [50 + at(650)], 'good'],
  ['too slow for video', [50], [50 + at(500)], 'thin'],
  ['fast, with a long delay', [450], [450 + at(20_000)], 'thin'],
  ['too slow for sound', [50], [50 + at(50)], 'broken'],
  ['delayed beyond the limit', [1600], [1600 + at(20_000)], 'broken'],
  ['slow in single samples', [20, 900], [3000, 20 + at(20_000)], 'good'],
  ['too slow to measure', [20], [], 'broken'],
  ['without a response', [], [], 'broken'],
])('rates a connection that is %s', (_, short, long, quality) => {
  expect(rateRoundTrips({ short, long, characters: 48_000 })).toBe(quality);
});
