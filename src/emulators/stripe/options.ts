/** The only supported API version; requests and endpoints with another version are rejected. */
export const API_VERSION = '2026-10-28.endive';

/**
 * A webhook endpoint configured outside the API. It receives the events of the platform and of all connected accounts.
 */
export interface ConfiguredEndpoint {
  url: string;
  /** `whsec_…`, signs every attempt. */
  secret: string;
}

export interface StripeEmulatorOptions {
  /** Accepted `sk_test_…` keys, all of one platform account. */
  secretKeys: string[];
  /** Accepted `pk_test_…` keys, for the requests of Stripe.js. */
  publishableKeys: string[];
  webhookEndpoints?: ConfiguredEndpoint[];
  dataDir?: string;
  /** Id of the platform's own account. */
  platformAccount?: string;
  /** Status of a subscription after all payment retries failed (an account setting in Stripe). Default `canceled`. */
  afterRetries?: 'canceled' | 'unpaid' | 'past_due';
  /** Days between the retries of a failed renewal. Default `[1, 3, 5, 7]`. */
  retryDays?: number[];
  /**
   * Status after DELETE of an `incomplete` subscription; sources
   * disagree, so both are supported. Default `incomplete_expired`.
   */
  canceledIncomplete?: 'incomplete_expired' | 'canceled';
  /** Duration of each POST in milliseconds, so that tests can use an idempotency key concurrently. Default 0. */
  latencyMs?: number;
  /** Waits between webhook attempts, in milliseconds. */
  webhookRetryWaitsMs?: number[];
  log?(line: string): void;
}
