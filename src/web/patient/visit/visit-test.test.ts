import { expect, test } from 'vitest';
import { rateRoundTrips } from './visit-test.tsx';

/** The time in milliseconds of a round trip with 48,000 characters at a speed in kbit/s. */
const at = (kilobits: number) => (2 * 48_000 * 8) / kilobits;

test.each([
  ['fast and near', [20, 30], [20 + at(20_000)], 'good'],
  ['just enough for a picture', [50], [50 + at(650)], 'good'],
  ['too thin for a picture', [50], [50 + at(500)], 'thin'],
  ['far away', [450], [450 + at(20_000)], 'thin'],
  ['too thin for sound', [50], [50 + at(50)], 'broken'],
  ['hardly there', [1600], [1600 + at(20_000)], 'broken'],
  ['busy once', [20, 900], [3000, 20 + at(20_000)], 'good'],
  ['not through in time', [20], [], 'broken'],
  ['never answered', [], [], 'broken'],
])('rates a connection that is %s', (_, short, long, quality) => {
  expect(rateRoundTrips({ short, long, characters: 48_000 })).toBe(quality);
});
