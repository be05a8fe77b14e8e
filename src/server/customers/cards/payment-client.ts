import type { PaymentClient } from '#contract/cards.ts';
import type { Config } from '#server/core/config.ts';

/** The parameters with which a page opens Stripe.js for a clinic's account. */
export const paymentClientOf = ({ stripe }: Config, accountId: string): PaymentClient => ({
  publishable_key: stripe.publishableKey,
  account_id: accountId,
  script_url: stripe.scriptUrl,
});
