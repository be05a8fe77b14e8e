import { faultOf, readApiFaults, wordsOfFault } from './api-faults.ts';

/** Between two looks. The server's own search for an outcome ends within two minutes, unless the provider is down. */
const PAUSES_MS = [1000, 2000, 3000, ...Array<number>(40).fill(5000)];
const PATIENCE_MS = 180_000;

type Checking = {
  /** Told while the outcome is being found out: words for people; null once it is known. */
  onChecking?: (words: string | null) => void;
  pause?: (ms: number) => Promise<void>;
  now?: () => number;
};

const STILL_UNKNOWN =
  'It is still not known whether this went through. Look again in a few minutes before you try once more.';
const LOST = 'The connection was lost. We are finding out whether this went through.';

/** Why a call that changes something has no outcome yet, in words; null when its refusal is final. */
function unknownOutcome(error: unknown, wasUnknown: boolean): string | null {
  const [fault] = readApiFaults(error);
  if (fault.meta?.outcome === 'unknown') return wordsOfFault(fault);
  // Nothing says whether the server did it, and the same call again finds that out.
  if (fault.code === 'unreachable') return wasUnknown ? LOST : null;
  const isOwnEarlierTry = fault.code === 'conflict' && fault.meta?.appointment_id === undefined;
  return wasUnknown && (isOwnEarlierTry || fault.code === 'idempotency_key_in_use') ? wordsOfFault(fault) : null;
}

/**
 * Makes a call, and the same call again for as long as nobody knows what came of it: the server takes an equal request of
 * the same person for the first one, so nothing is done twice. Rejects with the refusal once there is one.
 */
export async function untilKnown<Answer>(call: () => Promise<Answer>, checking: Checking = {}): Promise<Answer> {
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
        throw words !== null && wasUnknown ? faultOf('outcome_unknown', STILL_UNKNOWN) : error;
      }
      wasUnknown = true;
      onChecking?.(words);
      await pause(PAUSES_MS[looks]!);
    }
  }
}

const waitFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
