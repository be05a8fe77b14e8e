import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { asApplication } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { dayAhead, errorOf, FOLLOW_UP } from '#dev/testing/scheduling.ts';
import { listAvailability } from './list-availability.ts';

/** The default run uses few calendars; `npm run prove` uses many and checks the durations. */
const LONG = Boolean(process.env.PROVE);
const MANY = LONG ? 24 : 10;

let clinic: Clinic<'acuity'>;
beforeEach(async () => {
  clinic = await withClinic({ acuity: true, env: { ACUITY_REQUESTS_PER_SECOND: '10' } });
});
afterEach(() => clinic.stop());

const makeCalendars = (count: number) =>
  clinic.acuity.control('PATCH', `accounts/${clinic.acuity.account.user_id}`, {
    calendars: Array.from({ length: count }, (_, n) => ({ id: 100 + n, name: `Calendar ${n}`, email: '' })),
    types: [{ id: FOLLOW_UP, name: 'Follow-up visit', duration: 30 }],
  });
const list = (more: object) =>
  listAvailability(asApplication(clinic.services, clinic.tenant), {
    appointment_type_id: FOLLOW_UP,
    from_date: dayAhead(3),
    ...more,
  });
async function timed<T>(work: Promise<T>): Promise<{ result: T; seconds: number }> {
  const since = performance.now();
  const result = await work;
  return { result, seconds: (performance.now() - since) / 1000 };
}

describe('a tenant without stored availability', () => {
  test.each(LONG ? [3, 24] : [3])(
    'gets the first day of %i calendars within one second plus 1/8 second each',
    async (count) => {
      await makeCalendars(count);
      const { result, seconds } = await timed(list({ to_date: dayAhead(3) }));
      expect(new Set(result.items.map(({ calendar_id }) => calendar_id)).size).toBe(count);
      if (LONG) expect(seconds).toBeLessThan(1 + count / 8);
      const second = await timed(list({ to_date: dayAhead(3) }));
      expect(second.result.items).toEqual(result.items);
      if (LONG) expect(second.seconds).toBeLessThan(0.5);
    },
  );

  test('waits at most five seconds, while loading continues: also the first day of 50 calendars', async () => {
    await makeCalendars(50);
    const since = performance.now();
    const first = await timed(errorOf(list({ to_date: dayAhead(3) })));
    expect(first.result).toMatchObject({
      code: 'provider_unavailable',
      detail: expect.stringContaining('Ask again in'),
    });
    expect(first.seconds).toBeGreaterThan(4.5);
    if (LONG) expect(first.seconds).toBeLessThan(5.5);
    const { items } = await list({ to_date: dayAhead(3) });
    expect(new Set(items.map(({ calendar_id }) => calendar_id)).size).toBe(50);
    if (LONG) expect((performance.now() - since) / 1000).toBeLessThan(1 + 50 / 8);
  }, 20_000);

  test('gets a week of many calendars: partially at once, whole after repeated requests', async () => {
    await makeCalendars(MANY);
    const partial = await timed(list({ partial: true }));
    if (LONG) expect(partial.seconds).toBeLessThan(5.5);
    expect(partial.result.items.length).toBeGreaterThan(MANY);
    const { missing } = partial.result;
    expect(missing.length).toBeGreaterThan(MANY);
    const lacks = new Set(missing.map(({ calendar_id, day }) => `${calendar_id} ${day}`));
    // `missing` names the missing days; every other day has slots.
    const has = new Set(partial.result.items.map((slot) => `${slot.calendar_id} ${slot.from_date.slice(0, 10)}`));
    for (let n = 0; n < MANY; n += 1)
      for (let ahead = 3; ahead < 10; ahead += 1) {
        const key = `${100 + n} ${dayAhead(ahead)}`;
        expect([key, has.has(key)]).toEqual([key, !lacks.has(key)]);
      }
    const since = performance.now();
    let complete = await list({ partial: true });
    while (complete.missing.length > 0) complete = await list({ partial: true });
    if (LONG) expect((performance.now() - since) / 1000).toBeLessThan(1 + (MANY * 8) / 8);
    expect((await list({})).items).toEqual(complete.items);
  }, 60_000);
});
