import { describe, expect, it } from 'vitest';
import { trialDays } from './stripe-account.ts';

describe('trialDays', () => {
  it.each([
    ['1', 1],
    ['730', 730],
    [' 14 ', 14],
  ])('returns the days for %j', (value, days) => {
    expect(trialDays({ trial_period_in_days: value })).toEqual({ days, malformed: false });
  });

  it.each(['0', '731', '-3', '7.5', '1e2', 'two weeks', '0x10', '14 days', '99999'])(
    'returns no trial for %j',
    (value) => {
      expect(trialDays({ trial_period_in_days: value })).toEqual({ days: null, malformed: true });
    },
  );

  it('is not malformed without a value', () => {
    expect(trialDays({})).toEqual({ days: null, malformed: false });
    expect(trialDays({ trial_period_in_days: '' })).toEqual({ days: null, malformed: false });
  });
});
