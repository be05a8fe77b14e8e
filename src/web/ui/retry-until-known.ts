import { createApiError, messageOfError, readApiErrors } from './api-errors.ts';

/** Pauses between attempts. The server resolves an outcome within two minutes, unless the provider is down. */
const PAUSES_MS = [1000, 2000, 3000, ...Array<number>(40).fill(5000)];
const MAX_DURATION_MS = 180_000;

type RetryOptions = {
  /** Called with the status text while the outcome is unknown; null once it is known. */
  onChecking?: (message: string | null) => void;
  pause?: (ms: number) => Promise<void>;
  now?: () => number;
};

const STILL_UNKNOWN =
  'It is still not known whether this went through. Look again in a few minutes before you try once more.';
const LOST = 'The connection was lost. We are finding out whether this went through.';

/** The status text of a call whose outcome is unknown; null when the error is final. */
function unknownOutcome(error: unknown, wasUnknown: boolean): string | null {
  const [entry] = readApiErrors(error);
  if (entry.meta?.outcome === 'unknown') return messageOfError(entry);
  // The server may or may not have done it; the same call again finds out.
  if (entry.code === 'unreachable') return wasUnknown ? LOST : null;
  const isOwnEarlierRequest = entry.code === 'conflict' && entry.meta?.appointment_id === undefined;
  return wasUnknown && (isOwnEarlierRequest || entry.code === 'idempotency_key_in_use') ? messageOfError(entry) : null;
}

/**
 * Repeats a mutation until its outcome is known: the server treats an identical request of the same user as the first
 * one, so nothing happens twice. Rejects with the final error.
 */
export async function retryUntilKnown<Result>(
  call: () => Promise<Result>,
  options: RetryOptions = {},
): Promise<Result> {
  const { onChecking, pause = waitFor, now = Date.now } = options;
  const until = now() + MAX_DURATION_MS;
  let wasUnknown = false;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const result = await call();
      onChecking?.(null);
      return result;
    } catch (error) {
      const message = unknownOutcome(error, wasUnknown);
      const pauseMs = PAUSES_MS[attempt];
      const isOver = now() >= until || pauseMs === undefined;
      if (message === null || isOver) {
        onChecking?.(null);
        throw message !== null && wasUnknown ? createApiError('outcome_unknown', STILL_UNKNOWN) : error;
      }
      wasUnknown = true;
      onChecking?.(message);
      await pause(pauseMs);
    }
  }
}

const waitFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
