import { describe, expect, it } from 'vitest';
import { trialDays } from './trial-days.ts';

describe('trial days of a price', () => {
  it.each([
    ['1', 1],
    ['730', 730],
    [' 14 ', 14],
  ])('reads %j', (value, days) => {
    expect(trialDays({ trial_period_in_days: value })).toEqual({ days, malformed: false });
  });

  it.each(['0', '731', '-3', '7.5', '1e2', 'two weeks', '0x10', '14 days', '99999'])(
    'takes %j for no trial',
    (value) => {
      expect(trialDays({ trial_period_in_days: value })).toEqual({ days: null, malformed: true });
    },
  );

  it('finds nothing wrong with a price that says nothing', () => {
    expect(trialDays({})).toEqual({ days: null, malformed: false });
    expect(trialDays({ trial_period_in_days: '' })).toEqual({ days: null, malformed: false });
  });
});
