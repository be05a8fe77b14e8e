import { StripeFailure } from './stripe-faults.ts';

const MAX_KEYS = 5;

/**
 * Stripe keeps the first answer to an idempotency key for a day, even a failure of its own ("Idempotent requests"). A
 * replayed failure therefore moves on to the next key; `settled` looks first whether the failed call had its effect
 * after all.
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
