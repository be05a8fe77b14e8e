import { createApiError, messageOfError, readApiErrors } from './api-errors.ts';

/** Pauses between attempts. The server resolves an outcome within two minutes, unless the provider is down. */
const PAUSES_MS = [1000, 2000, 3000, ...Array<number>(40).fill(5000)];
const PATIENCE_MS = 180_000;

type Checking = {
  /** Called with the status text while the outcome is unknown; null once it is known. */
  onChecking?: (words: string | null) => void;
  pause?: (ms: number) => Promise<void>;
  now?: () => number;
};

const STILL_UNKNOWN =
  'It is still not known whether this went through. Look again in a few minutes before you try once more.';
const LOST = 'The connection was lost. We are finding out whether this went through.';

/** The status text of a call whose outcome is unknown; null when the error is final. */
function unknownOutcome(error: unknown, wasUnknown: boolean): string | null {
  const [fault] = readApiErrors(error);
  if (fault.meta?.outcome === 'unknown') return messageOfError(fault);
  // The server may or may not have done it; the same call again finds out.
  if (fault.code === 'unreachable') return wasUnknown ? LOST : null;
  const isOwnEarlierTry = fault.code === 'conflict' && fault.meta?.appointment_id === undefined;
  return wasUnknown && (isOwnEarlierTry || fault.code === 'idempotency_key_in_use') ? messageOfError(fault) : null;
}

/**
 * Repeats a mutation until its outcome is known: the server treats an identical request of the same user as the first
 * one, so nothing happens twice. Rejects with the final error.
 */
export async function retryUntilKnown<Answer>(call: () => Promise<Answer>, checking: Checking = {}): Promise<Answer> {
  const { onChecking, pause = waitFor, now = Date.now } = checking;
  const until = now() + PATIENCE_MS;
  let wasUnknown = false;
  for (let looks = 0; ; looks += 1) {
    try {
      const answer = await call();
      onChecking?.(null);
      return answer;
    } catch (error) {
      const words = unknownOutcome(error, wasUnknown);
      const isOver = now() >= until || looks >= PAUSES_MS.length;
      if (words === null || isOver) {
        onChecking?.(null);
        throw words !== null && wasUnknown ? createApiError('outcome_unknown', STILL_UNKNOWN) : error;
      }
      wasUnknown = true;
      onChecking?.(words);
      await pause(PAUSES_MS[looks]!);
    }
  }
}

const waitFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
