import { expect, test } from 'vitest';
import type { PaymentMethodView } from '#contract/cards.ts';
import type { PaymentView } from '#contract/payments.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { methodsOf, openBalances } from './patient-billing.tsx';

const card = (id: string, is_default = false) => ({ id, type: 'card', is_default }) as PaymentMethodView;
const paidWith = (id: string, type: string) => ({ payment_method: { id, type } }) as SubscriptionView;

test('lists cards without a subscription, the default first, and each other payment method once', () => {
  expect(methodsOf([card('pm_saved')], []).map(({ id }) => id)).toEqual(['pm_saved']);
  const live = [paidWith('pm_1', 'card'), paidWith('pm_link', 'link'), paidWith('pm_link', 'link')];
  expect(methodsOf([card('pm_1'), card('pm_2', true)], live).map(({ id }) => id)).toEqual(['pm_2', 'pm_1', 'pm_link']);
});

test('sums open bills by currency, without the amounts already paid', () => {
  const bill = (currency: string, amount_remaining: number) => ({ currency, amount_remaining }) as PaymentView;
  expect(openBalances([bill('usd', 4900), bill('usd', 100), bill('eur', 700), bill('cad', 0)])).toEqual([
    { currency: 'usd', amount: 5000 },
    { currency: 'eur', amount: 700 },
  ]);
});
