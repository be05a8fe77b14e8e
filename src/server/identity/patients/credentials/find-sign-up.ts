import { toInteger } from '#sdk/protocol/hex.ts';
import type { Context } from '#server/core/context.ts';
import { sourceOf } from '#server/core/network-of.ts';
import type { Caller } from '../../proving/caller.ts';
import { personKey } from '../../proving/person.ts';
import { attemptKeys, openAttempt } from '../sign-ups/attempt.ts';
import { decoy, type FoundRegistration } from './find-registration.ts';

type Row = { key: string; content: Uint8Array<ArrayBuffer> };
/** Which sign-up a proof would show to be one's own, and the device's secret that it is then bound to, as hashes. */
export type SignUpHandle = { key: string; own: string };
type FoundSignUp = FoundRegistration & { signUp: SignUpHandle | null };

/**
 * What was registered at a sign-up with that e-mail which has yet to be confirmed, or a decoy: the device's own; else,
 * for somebody on another device, one made where they are, else the last. It is told whether or not the address is
 * somebody's already, so that who signs up learns from it of nobody before them.
 */
export async function findSignUp(
  ctx: Context,
  caller: Caller,
  { email, attempt }: { email: string; attempt: string },
): Promise<FoundSignUp> {
  const { key: own, person } = attemptKeys(ctx, email, attempt);
  const [row] = await ctx.db.$queryRaw<Row[]>`
    select key, content from sign_up_attempts
    where tenant_id = ${ctx.tenantId}::uuid and person = ${person}
    order by key = ${own} desc, source = ${personKey(ctx, sourceOf(caller.ip))} desc, created_at desc
    limit 1`;
  const srp = row && openAttempt(ctx, row).srp;
  if (!srp) return { ...decoy(ctx, `${email}\nsign-up`), signUp: null };
  const { identity, salt, verifier, kdf } = srp;
  const v = toInteger(Buffer.from(verifier, 'hex'));
  return { patientId: null, identity, salt, v, kdf, signUp: { key: row.key, own } };
}
