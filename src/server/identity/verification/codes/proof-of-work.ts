import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { keyedHash, sameSecret, sha256 } from '#server/core/crypto.ts';
import { CarelaneError } from '#server/core/errors.ts';

/** Long enough for a slow phone. */
const LIFETIME = 10 * MINUTE;
const MAC_BYTES = 16;

export type ProofOfWork = { challenge: string; nonce: string };
/** A challenge is bound to one person's messages to one source. */
type Bound = { person: string; source: string };

const macOf = (ctx: Context, { person, source }: Bound, head: string): string =>
  keyedHash(ctx, 'proof-of-work', ctx.tenantId, person, source, head).subarray(0, MAC_BYTES).toString('base64url');

/**
 * Creates a stateless challenge that holds its expiry and difficulty. It is short, so that one attempt takes one
 * SHA-256 block.
 */
export function makeChallenge(ctx: Context, bound: Bound, bits: number): string {
  const head = `${(ctx.clock.now().getTime() + LIFETIME).toString(36)}.${bits}`;
  return `${head}.${macOf(ctx, bound, head)}`;
}

/**
 * Returns whether the challenge is genuine, bound to this person and source, not expired, and solved. The caller checks
 * that it was not used before.
 */
export function isSolved(ctx: Context, bound: Bound, { challenge, nonce }: ProofOfWork): boolean {
  const [end = '', bits = '', mac = '', ...rest] = challenge.split('.');
  // If more parts could follow, one solution would work for many challenges that share a prefix.
  if (rest.length > 0 || !sameSecret(mac, macOf(ctx, bound, `${end}.${bits}`))) return false;
  if (Number.parseInt(end, 36) <= ctx.clock.now().getTime()) return false;
  return leadingZeroBits(Buffer.from(sha256(`${challenge}:${nonce}`), 'hex')) >= Number(bits);
}

function leadingZeroBits(hash: Uint8Array): number {
  const at = hash.findIndex((byte) => byte !== 0);
  const byte = hash[at];
  return byte === undefined ? hash.length * 8 : at * 8 + Math.clz32(byte) - 24;
}

/** Creates the error that carries the challenge. */
export const workRequired = (ctx: Context, bound: Bound, bits: number): CarelaneError =>
  new CarelaneError({
    code: 'proof_of_work_required',
    detail: 'Many codes were asked for already. Solve the challenge, then send the request again with the proof.',
    meta: {
      proof_of_work: { challenge: makeChallenge(ctx, bound, bits), difficulty: bits, algorithm: 'sha-256' },
    },
  });
