import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AvailabilityView } from '#contract/availability.ts';
import { SEED } from '#dev/testing/seed.ts';
import { serializeAvailability } from './respond.ts';

const calendar = fc.record({
  time_zone: fc.string(),
  appointment_type_id: fc.integer(),
  appointment_type: fc.string({ unit: 'binary' }),
  calendar_id: fc.integer(),
  calendar: fc.string({ unit: 'binary' }),
  duration_minutes: fc.integer(),
});
const instant = fc.constantFrom('2026-11-23T09:00:00-05:00', '2027-03-28T03:30:00+02:00', '2026-11-24T00:00:00+00:00');

test('serializeAvailability equals JSON.stringify for any calendar names', () => {
  const times = fc
    .uniqueArray(calendar, { selector: ({ calendar_id }) => calendar_id, maxLength: 4 })
    .chain((calendars) =>
      fc.array(
        fc
          .record({ of: fc.nat(), from_date: instant, to_date: instant })
          .map(({ of, ...at }): AvailabilityView => ({ ...at, ...calendars[of % Math.max(1, calendars.length)]! })),
        { maxLength: calendars.length === 0 ? 0 : 20 },
      ),
    );
  fc.assert(
    fc.property(times, (slots) => {
      expect(serializeAvailability(slots)).toBe(JSON.stringify(slots));
    }),
    { seed: SEED },
  );
});
