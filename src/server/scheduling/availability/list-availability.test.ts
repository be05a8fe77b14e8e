import { describe, expect, test } from 'vitest';
import { CarelaneError } from '#server/core/errors.ts';
import { parseRange } from './list-availability.ts';

const NOW = Date.parse('2027-03-01T12:00:00Z');
const ZONE = 'America/New_York';
const minute = (text: string) => Date.parse(text) / 60_000;
const range = (from_date: string, to_date?: string, zone = ZONE) => parseRange({ from_date, to_date }, NOW)!(zone);
const code = (from_date: string, to_date?: string) => {
  try {
    range(from_date, to_date);
    return 'taken';
  } catch (error) {
    return error instanceof CarelaneError ? error.code : error;
  }
};

describe('parseRange', () => {
  test('turns dates into whole local days of the zone, across a clock change', () => {
    const { from, until, days } = range('2027-03-10', '2027-03-16');
    expect(from).toBe(minute('2027-03-10T00:00-05:00'));
    expect(until).toBe(minute('2027-03-16T23:59-04:00'));
    expect(days).toHaveLength(7);
    expect([days[0], days[6]]).toEqual(['2027-03-10', '2027-03-16']);
    expect(range('2027-03-10', '2027-03-10', 'Asia/Tokyo').from).toBe(minute('2027-03-10T00:00+09:00'));
  });

  test('defaults to seven days', () => {
    expect(range('2027-03-10')).toEqual(range('2027-03-10', '2027-03-16'));
    expect(range('2027-03-10T10:00:00Z')).toEqual(range('2027-03-10T10:00:00Z', '2027-03-17T10:00:00Z'));
  });

  test('takes instants as they are, both ends included', () => {
    const { from, until, days } = range('2027-03-10T22:00:00-05:00', '2027-03-11T01:30:30-05:00');
    expect([from, until]).toEqual([minute('2027-03-10T22:00-05:00'), minute('2027-03-11T01:30-05:00')]);
    expect(days).toEqual(['2027-03-10', '2027-03-11']);
  });

  test('leaves out the past', () => {
    expect(range('2027-03-01').from).toBe(minute('2027-03-01T12:01Z'));
    expect(range('2027-02-20', '2027-02-26').days).toEqual([]);
    expect(parseRange({ from_date: '2020-01-01' }, NOW)).toBeNull();
    expect(parseRange({ from_date: '9999-12-31' }, NOW)).toBeNull();
  });

  test.each([
    ['2027-03-10', '2027-03-16', 'taken'],
    ['2027-03-10', '2027-03-17', 'range_too_long'],
    ['2027-03-10', '2027-03-09', 'invalid_parameter'],
    ['2027-03-10T10:00:00Z', '2027-03-17T10:00:00Z', 'taken'],
    ['2027-03-10T10:00:00Z', '2027-03-17T10:00:01Z', 'range_too_long'],
    ['2027-03-10T10:00:00Z', '2027-03-10T09:59:59Z', 'invalid_parameter'],
    ['2027-03-10', '2027-03-16T23:59:00-04:00', 'taken'],
    ['2027-03-10', '2027-03-17T00:00:00-04:00', 'range_too_long'],
    ['2027-03-10T10:00:00-05:00', '2027-03-16', 'taken'],
    ['2027-03-10T10:00:00-05:00', '2027-03-17', 'range_too_long'],
    ['2027-03-10T10:00:00-05:00', '2027-03-08', 'invalid_parameter'],
    ['0001-01-01', '9999-12-31', 'range_too_long'],
  ])('from %s to %s returns %s', (from_date, to_date, expected) => {
    expect(code(from_date, to_date)).toBe(expected);
  });
});
