import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { asApplication } from '#dev/testing/actors.ts';
import { dayAhead, refusalOf, type Scheduling, startScheduling, VISIT } from '#dev/testing/scheduling.ts';
import { listAvailability } from './list-availability.ts';

/** The gate asks for few; `npm run prove` for many, and holds them to their times. */
const LONG = Boolean(process.env.PROVE);
const MANY = LONG ? 24 : 10;

let clinic: Scheduling;
beforeEach(async () => {
  clinic = await startScheduling({ ACUITY_REQUESTS_PER_SECOND: '10' });
});
afterEach(() => clinic.stop());

const makeCalendars = (count: number) =>
  clinic.control('PATCH', `accounts/${clinic.account.user_id}`, {
    calendars: Array.from({ length: count }, (_, n) => ({ id: 100 + n, name: `Calendar ${n}`, email: '' })),
    types: [{ id: VISIT, name: 'Follow-up visit', duration: 30 }],
  });
const ask = (more: object) =>
  listAvailability(asApplication(clinic.services, clinic.tenant), {
    appointment_type_id: VISIT,
    from_date: dayAhead(3),
    ...more,
  });
async function timed<T>(work: Promise<T>): Promise<{ result: T; seconds: number }> {
  const since = performance.now();
  const result = await work;
  return { result, seconds: (performance.now() - since) / 1000 };
}

describe('a clinic of which nothing is known yet', () => {
  test.each(LONG ? [3, 24] : [3])(
    'has the first day of %i calendars within a second and an eighth for each',
    async (count) => {
      await makeCalendars(count);
      const { result, seconds } = await timed(ask({ to_date: dayAhead(3) }));
      expect(new Set(result.items.map(({ calendar_id }) => calendar_id)).size).toBe(count);
      if (LONG) expect(seconds).toBeLessThan(1 + count / 8);
      const again = await timed(ask({ to_date: dayAhead(3) }));
      expect(again.result.items).toEqual(result.items);
      if (LONG) expect(again.seconds).toBeLessThan(0.5);
    },
  );

  test('lets nobody wait for more than five seconds, and goes on meanwhile: also the first day of 50 calendars', async () => {
    await makeCalendars(50);
    const since = performance.now();
    const first = await timed(refusalOf(ask({ to_date: dayAhead(3) })));
    expect(first.result).toMatchObject({
      code: 'provider_unavailable',
      detail: expect.stringContaining('Ask again in'),
    });
    expect(first.seconds).toBeGreaterThan(4.5);
    if (LONG) expect(first.seconds).toBeLessThan(5.5);
    const { items } = await ask({ to_date: dayAhead(3) });
    expect(new Set(items.map(({ calendar_id }) => calendar_id)).size).toBe(50);
    if (LONG) expect((performance.now() - since) / 1000).toBeLessThan(1 + 50 / 8);
  }, 20_000);

  test('gives a week of many calendars: in parts at once, whole while it is asked for again', async () => {
    await makeCalendars(MANY);
    const partial = await timed(ask({ partial: true }));
    if (LONG) expect(partial.seconds).toBeLessThan(5.5);
    expect(partial.result.items.length).toBeGreaterThan(MANY);
    const { missing } = partial.result;
    expect(missing.length).toBeGreaterThan(MANY);
    const lacks = new Set(missing.map(({ calendar_id, day }) => `${calendar_id} ${day}`));
    // What is missing is named, and all else is there: each of these days has times.
    const has = new Set(partial.result.items.map((slot) => `${slot.calendar_id} ${slot.from_date.slice(0, 10)}`));
    for (let n = 0; n < MANY; n += 1)
      for (let ahead = 3; ahead < 10; ahead += 1) {
        const key = `${100 + n} ${dayAhead(ahead)}`;
        expect([key, has.has(key)]).toEqual([key, !lacks.has(key)]);
      }
    const since = performance.now();
    let whole = await ask({ partial: true });
    while (whole.missing.length > 0) whole = await ask({ partial: true });
    if (LONG) expect((performance.now() - since) / 1000).toBeLessThan(1 + (MANY * 8) / 8);
    expect((await ask({})).items).toEqual(whole.items);
  }, 60_000);
});
