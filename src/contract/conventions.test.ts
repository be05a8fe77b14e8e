import { expect, test } from 'vitest';
import { DateOrInstant, Instant, integer } from './conventions.ts';

test.each([
  ['2026-11-23T09:00:00-0500', '2026-11-23T09:00:00-05:00'],
  ['2026-11-23T09:00:00.123456789+0530', '2026-11-23T09:00:00.123456789+05:30'],
  ['2026-11-23T14:00:00Z', '2026-11-23T14:00:00Z'],
  ['0001-01-01T00:00:00+23:59', '0001-01-01T00:00:00Z'],
  ['9999-12-31T23:59:59-23:59', '9999-12-31T23:59:59.999Z'],
])('parses %s as an instant', (input, read) => {
  expect(Instant.parse(input)).toBe(read);
});

test('rejects a megabyte of text in linear time', () => {
  for (const text of ['T'.repeat(1_000_000), `2026-11-23T${'+00'.repeat(300_000)}`, '0'.repeat(1_000_000)])
    expect(DateOrInstant.safeParse(text).success).toBe(false);
});

test.each([
  [integer(1, 50), '0', 'must be 1 or more'],
  [integer(1, 50), 51, 'must be 50 or less'],
  [integer(1, 50), 1.5, 'must be an integer'],
  [integer(1, 50), 'x', 'must be an integer'],
  [integer(1, 50), ['1', '2'], 'must be an integer'],
  [DateOrInstant, ['2026-11-23', '2026-11-24'], expect.stringMatching(/^must be a date such as/)],
])('reports why a value was rejected, also for repeated parameters', (schema, input, expected) => {
  expect(schema.safeParse(input).error!.issues.map(({ message }) => message)).toEqual([expected]);
});
