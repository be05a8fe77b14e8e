/** Where events are sent without an endpoint made through the API. It gets the platform's and all connected accounts' events. */
export interface ConfiguredEndpoint {
  url: string;
  /** `whsec_…`, signs every attempt. */
  secret: string;
}

export interface StripeEmulatorOptions {
  /** Accepted `sk_test_…` keys, all of one platform account. */
  secretKeys: string[];
  /** Accepted `pk_test_…` keys, for what Stripe.js may do. */
  publishableKeys: string[];
  webhookEndpoints?: ConfiguredEndpoint[];
  dataDir?: string;
  /** Id of the platform's own account. */
  platformAccount?: string;
  /** What becomes of a subscription when all payment retries failed (an account setting at Stripe). Default `canceled`. */
  afterRetries?: 'canceled' | 'unpaid' | 'past_due';
  /** Days between the retries of a failed renewal. Default `[1, 3, 5, 7]`. */
  retryDays?: number[];
  /** Status after DELETE of an `incomplete` subscription: sources disagree, so both can be had. Default `incomplete_expired`. */
  canceledIncomplete?: 'incomplete_expired' | 'canceled';
  /** How long each POST takes, so that concurrent uses of an idempotency key can meet. Default 0. */
  latencyMs?: number;
  /** Waits between webhook attempts, in milliseconds. */
  webhookRetryWaitsMs?: number[];
  log?(line: string): void;
}
