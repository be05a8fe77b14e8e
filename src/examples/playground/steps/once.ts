import { ApiError } from './api-error.ts';
import { keptByTab } from './kept.ts';

const NAME = 'wishes';

function readKeys(): Record<string, string> {
  try {
    return JSON.parse(keptByTab.read(NAME) ?? '{}');
  } catch {
    return {};
  }
}

/**
 * Gives every try of one wish the same Idempotency-Key, over reloads too, until
 * the service has refused it or the form is left: so an answer that was lost on
 * the way books no second visit and starts no second subscription.
 */
export async function once<Answer>(
  wish: string,
  work: (idempotencyKey: string) => Promise<Answer>,
): Promise<Answer> {
  const { [wish]: known, ...others } = readKeys();
  const key = known ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
  keptByTab.write(NAME, JSON.stringify({ ...others, [wish]: key }));
  try {
    return await work(key);
  } catch (error) {
    if (error instanceof ApiError && !error.details.retryable)
      keptByTab.write(NAME, JSON.stringify(others));
    throw error;
  }
}

/** What is wished for later on another form is another wish. */
export const forgetWishes = (): void => keptByTab.remove(NAME);
