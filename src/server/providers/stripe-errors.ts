import Stripe from 'stripe';
import { CarelaneError, type ErrorCode, type Fault, OUTCOME_UNKNOWN } from '../core/errors.ts';

/** Advice for the caller about a retry. */
export type Retry = {
  safe: boolean;
  advice: string;
  /** The text for people while the outcome is unknown; the same request finds it out. */
  checking?: string;
};
const PEOPLE: Partial<Record<ErrorCode, string>> = {
  provider_error: 'Stripe had trouble with this. Try again; if it still fails, tell an administrator.',
  provider_unavailable: 'Stripe cannot be reached at the moment. Try again in a minute.',
  provider_timeout: 'Stripe did not answer in time. Try again in a minute.',
};
export const SAFE: Retry = { safe: true, advice: 'It is safe to try again.' };
/** Ending a subscription is idempotent. */
export const ENDING: Retry = { ...SAFE, checking: 'We are checking with Stripe whether the subscription ends.' };

/** A call that failed without a client error from Stripe. */
export class StripeFailure extends CarelaneError {
  /** Stripe replayed an older response to the same idempotency key: that key can only fail from now on. */
  readonly replayed: boolean;

  constructor(code: Fault['code'], sentence: string, retry: Retry, cause: unknown) {
    const { safe, advice, checking } = retry;
    const people = checking ?? PEOPLE[code];
    super(
      {
        code,
        detail: `${sentence} ${advice}`,
        ...(people && { people }),
        meta: { provider: 'stripe', retry_safe: safe, ...(checking && OUTCOME_UNKNOWN) },
      },
      { cause, headers: code === 'provider_unavailable' ? { 'retry-after': '2' } : {} },
    );
    this.replayed = cause instanceof Stripe.errors.StripeError && cause.headers?.['idempotent-replayed'] === 'true';
  }
}

/** Stripe's codes for a connected account that may not take payments: https://docs.stripe.com/error-codes */
const RESTRICTED = new Set(['account_invalid', 'charge_not_allowed_on_account', 'testmode_charges_only']);
const RESTRICTED_FAULT: Fault = {
  code: 'integration_misconfigured',
  detail:
    'Stripe does not let the connected account take payments until it has what it asks for. An administrator can see under Integrations what that is.',
  meta: { provider: 'stripe', retry_safe: true },
};

/**
 * Stripe understood the request and rejected it. Use cases convert the expected reasons; the rest is a provider error.
 */
export class StripeRejection extends CarelaneError {
  readonly httpStatus: number;
  readonly reason: string;
  readonly param: string;
  /** The idempotency key has been used with other parameters. */
  readonly isKeyReused: boolean;

  constructor(cause: InstanceType<typeof Stripe.errors.StripeError>) {
    super(
      RESTRICTED.has(cause.code ?? '')
        ? RESTRICTED_FAULT
        : {
            code: 'provider_error',
            detail: 'Stripe refused the request. Trying again will not help.',
            people: 'Stripe does not allow this. Ask an administrator to look at your account at Stripe.',
            meta: { provider: 'stripe', retry_safe: true },
          },
      { cause },
    );
    this.httpStatus = cause.statusCode ?? 400;
    this.reason = cause.code ?? '';
    this.param = cause.param ?? '';
    this.isKeyReused = cause instanceof Stripe.errors.StripeIdempotencyError;
  }
}

/** The response arrives too slowly. */
export class DeadlineExceeded extends Error {}

const isTimeout = (error: unknown): boolean =>
  error instanceof DeadlineExceeded || ((error as { detail?: { code?: string } }).detail?.code ?? '') === 'ETIMEDOUT';

/** Returns the error for a response without the documented shape. */
export const invalidResponse = (retry: Retry, cause?: unknown): StripeFailure =>
  new StripeFailure('provider_error', 'Stripe sent a response that makes no sense.', retry, cause);

/** A rejected call had no effect, so there is no outcome to find out. */
const withoutOutcome = ({ safe, advice }: Retry): Retry => ({ safe, advice });

/**
 * The code of Stripe's 403 for an account that was deauthorized or deleted, or that is another platform's. Any other
 * 403 concerns the key, such as a restricted key without a permission, and says nothing about the account.
 */
const ACCOUNT_LOST = 'account_invalid';

/** Stripe names the missing permission of a restricted key only in its message. */
function lackingPermission({ message }: InstanceType<typeof Stripe.errors.StripePermissionError>): string {
  const [, name] = /'(rak_\w+)' permission/.exec(message) ?? [];
  return `Stripe refused this service's own key: it lacks ${name ? `the permission ${name}` : 'a permission that this needs'}.`;
}

/** Converts errors of Stripe's client library (Stripe docs, "Error handling"). */
export function toStripeError(error: unknown, retry: Retry): Error {
  const { errors } = Stripe;
  if (isTimeout(error)) return new StripeFailure('provider_timeout', 'Stripe did not answer in time.', retry, error);
  if (error instanceof errors.StripeConnectionError)
    return new StripeFailure('provider_unavailable', 'Stripe cannot be reached.', retry, error);
  if (error instanceof errors.StripeRateLimitError)
    return new StripeFailure('provider_unavailable', 'Stripe is taking no more requests at the moment.', SAFE, error);
  if (error instanceof errors.StripeAuthenticationError)
    return new StripeFailure('provider_error', "Stripe refused this service's own key.", withoutOutcome(retry), error);
  if (error instanceof errors.StripePermissionError) {
    if (error.code !== ACCOUNT_LOST)
      return new StripeFailure('provider_error', lackingPermission(error), withoutOutcome(retry), error);
    return new CarelaneError(
      {
        code: 'integration_not_connected',
        detail: 'Stripe gives no access to the connected account any more. An administrator must connect it again.',
      },
      { cause: error },
    );
  }
  if (!(error instanceof errors.StripeError)) return error as Error;
  if (error.statusCode === 409)
    return new StripeFailure('provider_unavailable', 'Stripe is still busy with the same request.', retry, error);
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return new StripeRejection(error);
  if (error.statusCode === 503)
    return new StripeFailure('provider_unavailable', 'Stripe is not available at the moment.', retry, error);
  return new StripeFailure('provider_error', 'Stripe failed on its side.', retry, error);
}

const MAX_KEYS = 5;

/**
 * Calls Stripe again with another idempotency key after a replayed failure: Stripe stores the first response to a key
 * for a day, even a failure of its own ("Idempotent requests"). `settled` first checks whether the failed call had its
 * effect.
 */
export async function retryReplayedFailure<T>(
  key: string,
  call: (key: string) => Promise<T>,
  settled: () => Promise<T | null> = async () => null,
): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await call(n === 1 ? key : `${key}-${n}`);
    } catch (error) {
      if (!(error instanceof StripeFailure) || !error.replayed || n === MAX_KEYS) throw error;
      const effect = await settled();
      if (effect !== null) return effect;
    }
  }
}
