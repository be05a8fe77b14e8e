import { expect, test } from 'vitest';
import type { SubscriptionPreviewView } from '#contract/subscription-changes.ts';
import { toPreviewInput, toUpdateInput } from './change-plan-dialog.tsx';

const item = (price_id: string, quantity: number) => ({ id: `si_${price_id}`, price_id, quantity });

test('keeps the quantity when another plan replaces a single one', () => {
  const single = { id: 'sub_1', items: [item('price_old', 3)] };
  expect(toPreviewInput(single, 'price_new', 'now', false)).toEqual({
    ...{ id: 'sub_1', price_ids: ['price_new'], quantities: [3], proration: 'now' },
  });
  const two = { id: 'sub_1', items: [item('price_old', 3), item('price_other', 2)] };
  expect(toPreviewInput(two, 'price_new', undefined, false)).toEqual({ id: 'sub_1', price_ids: ['price_new'] });
  expect(toPreviewInput(two, 'price_new', undefined, true)).toMatchObject({ allow_duplicate: true });
});

test('applies a change exactly as previewed, and only once the chosen price has a preview', () => {
  const change = {
    price_ids: ['price_new'],
    quantities: [3],
    proration: 'none' as const,
    proration_date: '2026-12-16',
  };
  const shown = { subscription_id: 'sub_1', due_now: 0, ...change } as SubscriptionPreviewView;
  expect(toUpdateInput('price_new', undefined, false)).toBeNull();
  expect(toUpdateInput('price_other', shown, false)).toBeNull();
  expect(toUpdateInput('price_new', shown, false)).toEqual({ id: 'sub_1', ...change });
  expect(toUpdateInput('price_new', shown, true)).toEqual({ id: 'sub_1', ...change, allow_duplicate: true });
});
