import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { dayAhead, FOLLOW_UP, ROWAN } from '#dev/testing/scheduling.ts';
import { fillDays } from './known-days.ts';

let clinic: Clinic<'acuity'>;
beforeAll(async () => {
  clinic = await withClinic({ acuity: true });
});
afterAll(() => clinic.stop());

const daysOf = (...ahead: number[]) => [
  { calendar: { id: ROWAN, timeZone: 'America/New_York' }, days: ahead.map(dayAhead) },
];

test('a caller with higher priority does not wait for a call of lower priority', async () => {
  const { scheduling } = clinic.services.providers;
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  let running = 0;
  const read = () => {
    running += 1;
    return held;
  };
  const reads = Array.from({ length: 8 }, () => scheduling.run(read));
  await expect.poll(() => running).toBe(8);
  const served: string[] = [];
  const fill = (turn: 'urgent' | 'interactive' | 'background') =>
    fillDays(clinic.ctx, FOLLOW_UP, daysOf(3), turn).then(() => served.push(turn));
  const later = [fill('background'), fill('interactive')];
  await fill('urgent');
  expect(served).toEqual(['urgent']);
  end();
  await Promise.all([...reads, ...later]);
});

test('a caller that waits for one day does not wait for other days of the same call', async () => {
  await clinic.acuity.fault('500', { method: 'GET', path: '/api/v1/availability/dates' });
  const week = fillDays(clinic.ctx, FOLLOW_UP, daysOf(10, 11, 12), 'interactive');
  const day = fillDays(clinic.ctx, FOLLOW_UP, daysOf(10), 'interactive');
  await expect(week).rejects.toMatchObject({ code: 'provider_error' });
  await day;
});
