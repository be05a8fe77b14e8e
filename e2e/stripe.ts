import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import Stripe from 'stripe';
import { cardFile } from './card.ts';

type Keys = { stripe: { url: string; secret_key: string; account: string } };

/** Numbers of Stripe's testing page (https://docs.stripe.com/testing). */
export const CARDS = {
  good: '4242424242424242',
  declined: '4000000000000002',
  authenticates: '4000002760003184',
  /** Can be saved, but every charge fails. */
  failsLater: '4000000000000341',
};

/** The clinic's account at the sandbox's Stripe, with its owner's key. */
export function clinicStripe() {
  const { url, secret_key, account } = (JSON.parse(readFileSync(cardFile(), 'utf8')) as Keys).stripe;
  const { hostname, port } = new URL(url);
  const stripe = new Stripe(secret_key, { host: hostname, port: Number(port), protocol: 'http', telemetry: false });
  const options = { stripeAccount: account };
  return {
    /** A code without restrictions. */
    async promotionCode(percent_off: number): Promise<string> {
      const coupon = await stripe.coupons.create({ percent_off, duration: 'once' }, options);
      return (await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id } }, options)).code;
    },
    /** Ends the trial now; the card on file pays its first bill. */
    endTrial: (subscription: string) => stripe.subscriptions.update(subscription, { trial_end: 'now' }, options),
    /** Sets a card whose bank declines every charge from now on. */
    async failPayments(subscription: string): Promise<void> {
      const { customer } = await stripe.subscriptions.retrieve(subscription, {}, options);
      const params = { customer: customer as string };
      const { id } = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', params, options);
      await stripe.subscriptions.update(subscription, { default_payment_method: id }, options);
    },
  };
}

/** Types a card into the provider's fields on the current page, and confirms. */
export async function payWith(visitor: Page, number: string, button: RegExp): Promise<void> {
  await visitor.getByLabel('Card number').fill(number);
  await visitor.getByLabel('Expiration date').fill('1268');
  await visitor.getByLabel('Security code').fill('123');
  await visitor.getByRole('button', { name: button }).click();
}

/** Completes the bank's authentication as the card's holder. */
export async function authenticate(visitor: Page): Promise<void> {
  const bank = visitor.getByRole('dialog', { name: '3-D Secure authentication' });
  await bank.getByRole('button', { name: 'Complete authentication' }).click();
  await expect(bank).toHaveCount(0);
}
