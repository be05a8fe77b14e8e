import { describe, expect, it } from 'vitest';
import { PreviewSubscriptionInput, UpdateSubscriptionInput } from './subscription-changes.ts';

const id = 'sub_1';
const accepts = (more: object) => UpdateSubscriptionInput.safeParse({ id, ...more }).success;

describe('input of a subscription change', () => {
  it('accepts an instant with any offset', () => {
    for (const instant of ['2026-12-30T00:00:00Z', '2026-12-30T00:00:00+02:00', '2026-12-29T19:00:00-05:00']) {
      expect(accepts({ trial_end: instant })).toBe(true);
      expect(accepts({ price_ids: ['price_1'], proration_date: instant })).toBe(true);
      const input = { id, price_ids: 'price_1', proration_date: instant };
      expect(PreviewSubscriptionInput.safeParse(input).success).toBe(true);
    }
  });

  it('rejects a date, and any text except now', () => {
    for (const trial_end of ['2026-12-30', 'soon', 5, null]) expect(accepts({ trial_end })).toBe(false);
    expect(accepts({ trial_end: 'now' })).toBe(true);
  });
});
