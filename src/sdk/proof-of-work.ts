import { AuthError, type ErrorDetails, RateLimitedError } from './errors.ts';
import { SUITE } from './srp/suite.ts';

/** A challenge that an error response requires to be solved. */
export type Work = { challenge: string; difficulty: number };
export type Solution = { challenge: string; nonce: string };

/** Maximum time and difficulty. A server that requires more does not expect a solution. */
const LIMIT_MS = 60_000;
const MAX_BITS = 26;
/** Duration of one slice of work, so that the page stays responsive. */
const SLICE_MS = 12;
/** Number of hashes between two readings of the clock. */
const BATCH = 64;

/** Handled by `call`; never thrown to callers of the package. */
export class WorkRequired extends AuthError {
  override name = 'WorkRequired';
  readonly work: Work;

  constructor(message: string, work: Work, details: ErrorDetails) {
    super('proof_of_work_required', message, details);
    this.work = work;
  }
}

/** Returns the challenge in an error's `meta`; null when this version does not support it. */
export function readWork(meta: unknown): Work | null {
  const work = (meta as { proof_of_work?: Record<string, unknown> } | undefined)?.proof_of_work;
  const { challenge, difficulty, algorithm } = work ?? {};
  const isKnown = typeof challenge === 'string' && Number.isSafeInteger(difficulty) && algorithm === 'sha-256';
  return isKnown ? { challenge, difficulty: difficulty as number } : null;
}

export const tooMuchWork = (details: ErrorDetails = {}): RateLimitedError =>
  new RateLimitedError('rate_limited', 'Too many codes were requested. Please try again later.', {
    ...details,
    retryable: true,
  });

/**
 * Finds the nonce for which SHA-256 of `challenge:nonce` has `difficulty` leading zero bits.
 * @throws RateLimitedError when it takes too long
 */
export async function solve({ challenge, difficulty }: Work, limitMs = LIMIT_MS): Promise<Solution> {
  if (difficulty > MAX_BITS) throw tooMuchWork();
  const end = Date.now() + limitMs;
  const utf8 = new TextEncoder();
  for (let nonceCount = 0; ; ) {
    const sliceEnd = Date.now() + SLICE_MS;
    do {
      for (const last = nonceCount + BATCH; nonceCount < last; nonceCount += 1) {
        const nonce = nonceCount.toString(36);
        if (hasZeroBits(SUITE.hash(utf8.encode(`${challenge}:${nonce}`)), difficulty)) return { challenge, nonce };
      }
    } while (Date.now() < sliceEnd);
    if (Date.now() >= end) throw tooMuchWork();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

function hasZeroBits(hash: Uint8Array, bits: number): boolean {
  const wholeBytes = bits >> 3;
  for (let index = 0; index < wholeBytes; index += 1) if (hash[index] !== 0) return false;
  return hash[wholeBytes]! >> (8 - (bits & 7)) === 0;
}
