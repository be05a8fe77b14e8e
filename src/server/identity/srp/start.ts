import type { Wire } from '#sdk/protocol/endpoints.ts';
import { fromHex, toBytes, toHex, toInteger } from '#sdk/protocol/hex.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';
import { MINUTE, SECOND } from '../../core/clock.ts';
import type { Context, Services } from '../../core/context.ts';
import type { Caller } from '../caller.ts';
import { personAt } from '../codes/person-key.ts';
import { findPublicClient } from '../find-public-client.ts';
import type { Inputs } from '../inputs.ts';
import { refuseTooMany } from '../refuse-too-many.ts';
import { failureKey, refuseWhileBlocked } from './failures.ts';
import { type FoundRegistration, findRegistration } from './find-registration.ts';
import { findSignUp, type SignUpHandle } from './find-sign-up.ts';
import { keepStep } from './steps.ts';
import { offer } from './suite.ts';

const HANDSHAKE_LIFETIME = 2 * MINUTE;
const PER_MINUTE = 300;

/** Between the halves; numbers as hex. */
export type Handshake = Record<'identity' | 'salt' | 'v' | 'b' | 'A' | 'B', string> & {
  /** Where the password is that of a sign-up, and opens nothing. */
  signUp?: SignUpHandle;
};

/**
 * The first half of proving a password, alike for somebody unknown: the account's; with an `attempt`, that of a sign-up
 * that has yet to be confirmed. Errors: rate_limited.
 */
export async function startSrp(
  services: Services,
  caller: Caller,
  { client_id, email, A, attempt }: Inputs['srpStart'],
): Promise<Wire['srpStart']['answer']> {
  const { id: clientId, ctx } = await findPublicClient(services, client_id, caller, 'credentials');
  refuseTooMany(ctx, 'srp-start', caller, PER_MINUTE);
  const found = attempt ? await ofSignUp(ctx, caller, { email, attempt }) : await ofAccount(ctx, caller, { email });
  const { patientId, identity, salt, v, kdf, key, signUp } = found;
  const { b, B } = await offer(v);
  const hex = (number: bigint) => toHex(toBytes(number, SRP_GROUP.byteLength));
  const givenA = hex(toInteger(fromHex(A, SRP_GROUP.byteLength)));
  const state: Handshake = {
    identity,
    salt,
    v: hex(v),
    b: toHex(toBytes(b)),
    A: givenA,
    B: hex(B),
    ...(signUp && { signUp }),
  };
  const handshake = await keepStep(ctx.db, ctx, 'srp', {
    patientId,
    clientId,
    state,
    failureKey: key,
    lifetimeMs: HANDSHAKE_LIFETIME,
  });
  return { handshake, identity, salt, B: hex(B), kdf, expires_in: HANDSHAKE_LIFETIME / SECOND };
}

type Found = FoundRegistration & {
  /** The second half counts as a try under this, where the first came from. */
  key: string;
  signUp?: SignUpHandle | null;
};

async function ofAccount(ctx: Context, { ip }: Caller, { email }: { email: string }): Promise<Found> {
  const key = failureKey(ctx, email, ip);
  const { blockedUntil, ...found } = await findRegistration(ctx, email, key);
  refuseWhileBlocked(ctx, blockedUntil);
  return { ...found, key };
}

/** Each sign-up counts by itself: a right proof of one's own takes back no wrong ones at the account or at another's. */
async function ofSignUp(ctx: Context, caller: Caller, who: { email: string; attempt: string }): Promise<Found> {
  const found = await findSignUp(ctx, caller, who);
  const key = failureKey(ctx, personAt(who.email, found.signUp?.key ?? 'sign-up'), caller.ip);
  const failures = await ctx.db.signInFailure.findUnique({ where: { tenantId_key: { tenantId: ctx.tenantId, key } } });
  refuseWhileBlocked(ctx, failures?.blockedUntil ?? null);
  return { ...found, key };
}
