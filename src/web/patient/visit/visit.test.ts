import { expect, test } from 'vitest';
import { stageOf } from './visit.tsx';

const visit = {
  status: 'scheduled' as const,
  opens_at: '2027-03-01T14:50:00Z',
  closes_at: '2027-03-01T15:30:00Z',
};

test.each([
  ['2027-03-01T14:49:59Z', 'early'],
  ['2027-03-01T14:50:00Z', 'open'],
  ['2027-03-01T15:29:59Z', 'open'],
  ['2027-03-01T15:30:00Z', 'over'],
])('at %s the room is %s', (now, stage) => {
  expect(stageOf(visit, Date.parse(now))).toBe(stage);
});

test('never opens the room of a canceled appointment', () => {
  expect(stageOf({ ...visit, status: 'canceled' }, Date.parse('2027-03-01T15:00:00Z'))).toBe('canceled');
});
