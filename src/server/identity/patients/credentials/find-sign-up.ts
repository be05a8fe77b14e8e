import { toInteger } from '#sdk/protocol/hex.ts';
import type { Context } from '#server/core/context.ts';
import { sourceOf } from '#server/core/network-of.ts';
import type { Caller } from '../../proving/caller.ts';
import { personKey } from '../../proving/person.ts';
import { attemptKeys, openAttempt } from '../sign-ups/attempt.ts';
import { decoy, type FoundRegistration } from './find-registration.ts';

type Row = { key: string; content: Uint8Array<ArrayBuffer> };
/** The sign-up that a proof would unlock, and the hash of the device secret that it is then bound to. */
export type SignUpHandle = { key: string; own: string };
type FoundSignUp = FoundRegistration & { signUp: SignUpHandle | null };

/**
 * Finds the registration of an unconfirmed sign-up with this email, or a decoy: the device's own; on another device,
 * one from the same source, else the last. It is returned whether or not the address has an account, so that it does
 * not reveal one.
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
