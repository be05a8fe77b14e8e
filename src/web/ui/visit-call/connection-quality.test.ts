import { expect, test } from 'vitest';
import { createQualityRater, type QualitySample, rateSample } from './connection-quality.ts';

const GOOD: QualitySample = { lostIn: 0, lostOut: 0.01, roundTrip: 0.05, canSend: 2_000_000 };

test.each<[Partial<QualitySample>, string]>([
  [{}, 'good'],
  [{ lostIn: null, lostOut: null, roundTrip: null, canSend: null }, 'good'],
  [{ lostIn: 0.07 }, 'thin'],
  [{ lostOut: 0.07 }, 'thin'],
  [{ roundTrip: 0.7 }, 'thin'],
  [{ canSend: 90_000 }, 'thin'],
  [{ lostIn: 0.4 }, 'broken'],
  [{ roundTrip: 3 }, 'broken'],
])('rates a connection with %o as %s', (change, quality) => {
  expect(rateSample({ ...GOOD, ...change })).toBe(quality);
});

test('changes the rating only after three samples in a row', () => {
  const judge = createQualityRater();
  const thin = { ...GOOD, lostIn: 0.1 };
  const broken = { ...GOOD, lostIn: 0.5 };
  const looks = [GOOD, thin, GOOD, thin, thin, broken, broken, broken, broken, GOOD, GOOD, GOOD];
  const said = looks.map(judge);
  expect(said).toEqual([
    ...['good', 'good', 'good', 'good', 'good', 'thin', 'thin', 'broken', 'broken', 'broken', 'broken', 'good'],
  ]);
});
