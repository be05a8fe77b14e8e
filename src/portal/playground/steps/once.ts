import { ApiError } from './api-error.ts';
import { keptByTab } from './kept.ts';

/**
 * Gives every try of one wish the same Idempotency-Key, over reloads too, until the service has said yes or no: so an
 * answer that was lost on the way books no second visit and starts no second subscription.
 */
export async function once<Answer>(wish: string, work: (idempotencyKey: string) => Promise<Answer>): Promise<Answer> {
  const key = keptByTab.read(wish) ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
  keptByTab.write(wish, key);
  try {
    const answer = await work(key);
    keptByTab.remove(wish);
    return answer;
  } catch (error) {
    if (error instanceof ApiError && !error.details.retryable) keptByTab.remove(wish);
    throw error;
  }
}
