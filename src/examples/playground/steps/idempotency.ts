import { ApiError } from './api-error.ts';
import { tabStorage } from './storage.ts';

const NAME = 'idempotency-keys';

function readKeys(): Record<string, string> {
  try {
    return JSON.parse(tabStorage.read(NAME) ?? '{}');
  } catch {
    return {};
  }
}

/**
 * Uses the same Idempotency-Key for all attempts of an operation, also over
 * reloads, until the service has rejected it or the form is left: a lost response
 * then does not lead to a second appointment or subscription.
 */
export async function withIdempotencyKey<Result>(
  operation: string,
  work: (idempotencyKey: string) => Promise<Result>,
): Promise<Result> {
  const { [operation]: known, ...others } = readKeys();
  const key = known ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
  tabStorage.write(NAME, JSON.stringify({ ...others, [operation]: key }));
  try {
    return await work(key);
  } catch (error) {
    if (error instanceof ApiError && !error.details.retryable)
      tabStorage.write(NAME, JSON.stringify(others));
    throw error;
  }
}

/** Removes the keys: the same operation on another form is a new one. */
export const clearIdempotencyKeys = (): void => tabStorage.remove(NAME);
