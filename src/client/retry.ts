import { CarelaneApiError } from './carelane-api-error.ts';

const FIRST_WAIT_MS = 250;
/** A longer wait is left to the caller. */
const MAX_RETRY_AFTER_S = 20;

/**
 * Repeats the work up to `retries` times while `shouldRetry` accepts the error. While the service is still running an
 * earlier attempt, it waits for the outcome for up to `maxWaitMs`.
 */
export async function retryRequest<Result>(
  work: () => Promise<Result>,
  {
    retries,
    shouldRetry,
    signal,
    maxWaitMs = 0,
  }: {
    retries: number;
    shouldRetry: (error: CarelaneApiError) => boolean;
    signal?: AbortSignal | undefined;
    maxWaitMs?: number;
  },
): Promise<Result> {
  const startedAt = Date.now();
  for (let attempts = 0; ; ) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CarelaneApiError) || !shouldRetry(error)) throw error;
      const isInProgress =
        attempts > 0 && error.code === 'idempotency_key_in_use' && Date.now() - startedAt < maxWaitMs;
      if ((!isInProgress && attempts >= retries) || (error.retryAfter ?? 0) > MAX_RETRY_AFTER_S) throw error;
      if (!isInProgress) attempts += 1;
      // Jitter, so that clients that failed together do not retry together.
      const backoffMs = FIRST_WAIT_MS * 2 ** (attempts - 1) * (1 + Math.random());
      await pause(error.retryAfter === undefined ? backoffMs : error.retryAfter * 1000, signal);
    }
  }
}

/** Whether there was no response, or one that does not concern the request itself. */
export const isTransient = ({ code, status }: CarelaneApiError): boolean =>
  code === 'network' || code === 'timeout' || code === 'idempotency_key_in_use' || status === 429 || status >= 500;

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
