import { StripeFailure } from './stripe-errors.ts';

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
