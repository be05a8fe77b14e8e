import { AuthError } from './errors.ts';
import { toHex } from './protocol/hex.ts';
import { randomBytes, SUITE } from './srp/suite.ts';

const KEY_BYTES = 16;
/** Steps whose outcome is not known, by the hash of their arguments. */
const openSteps = new Map<string, { key: string; isRunning: boolean }>();

/**
 * Runs a step with an Idempotency-Key that stays the same until there is a response: the service then recognises a
 * repetition of a step whose response was lost.
 * @param args the arguments that identify a repetition; only their hash is stored
 */
export async function withIdempotencyKey<Result>(
  args: string[],
  work: (idempotencyKey: string, isRepetition: boolean) => Promise<Result>,
): Promise<Result> {
  const step = toHex(SUITE.hash(new TextEncoder().encode(JSON.stringify(args))));
  const previous = openSteps.get(step);
  const key = toHex(randomBytes(KEY_BYTES));
  // Concurrent calls are two separate steps, not a step and its repetition.
  if (previous?.isRunning) return work(key, false);
  const entry = { key: previous?.key ?? key, isRunning: true };
  openSteps.set(step, entry);
  try {
    const result = await work(entry.key, previous !== undefined);
    openSteps.delete(step);
    return result;
  } catch (error) {
    if (error instanceof AuthError && error.retryable) entry.isRunning = false;
    else openSteps.delete(step);
    throw error;
  }
}
