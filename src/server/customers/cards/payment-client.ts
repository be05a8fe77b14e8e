import type { PaymentClient } from '#contract/cards.ts';
import type { Config } from '#server/core/config.ts';

/** What a page opens Stripe.js with, for a clinic's account. */
export const paymentClientOf = ({ stripe }: Config, accountId: string): PaymentClient => ({
  publishable_key: stripe.publishableKey,
  account_id: accountId,
  script_url: stripe.scriptUrl,
});
