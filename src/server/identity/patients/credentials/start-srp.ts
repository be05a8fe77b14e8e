import type { Wire } from '#sdk/protocol/endpoints.ts';
import { fromHex, toBytes, toHex, toInteger } from '#sdk/protocol/hex.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context, Services } from '#server/core/context.ts';
import { sourceOf } from '#server/core/ip-address.ts';
import { findPublicClient } from '../../applications/find-public-client.ts';
import { runQueued } from '../../srp/work-queue.ts';
import { assertWithinLimit } from '../../verification/assert-within-limit.ts';
import type { Caller } from '../../verification/caller.ts';
import { type AttemptCounters, assertNotThrottled, failureKeys } from '../../verification/failures.ts';
import { deviceHash, isKnownDevice } from '../../verification/known-device.ts';
import { countersOfAttempt, signUpLockedOut } from '../../verification/lockout/lockout.ts';
import { rejectLockedOut } from '../../verification/lockout/notify-patient.ts';
import { personAt, personKey } from '../../verification/person.ts';
import { storeStep } from '../../verification/steps.ts';
import type { Inputs } from '../inputs.ts';
import { openPendingSignUp, pendingSignUpKeys } from '../sign-ups/pending-sign-up.ts';
import { decoyRegistration, type FoundRegistration, findRegistration } from './find-registration.ts';

const HANDSHAKE_LIFETIME = 2 * MINUTE;
const PER_MINUTE = 300;

/** State between the two steps; numbers in hex. `email` is as typed, `device` the hash of a known one. */
export type Handshake = Record<'identity' | 'salt' | 'v' | 'b' | 'A' | 'B' | 'email', string> & {
  device: string | null;
  /** Set if the password is that of an unconfirmed sign-up, which grants no access. */
  signUp?: SignUpHandle;
};

/**
 * The first step of a password proof, equal for unknown accounts. Proves the account, or with `attempt` an unconfirmed
 * sign-up. The second step counts as an attempt of the device or source that made the first.
 * @throws `rate_limited`, `service_busy`, `sign_in_closed`
 */
export async function startSrp(
  services: Services,
  caller: Caller,
  given: Inputs['srpStart'],
): Promise<Wire['srpStart']['answer']> {
  const { id: clientId, ctx } = await findPublicClient(services, given.client_id, caller, 'credentials');
  assertWithinLimit(ctx, 'srp-start', caller, PER_MINUTE);
  return runQueued(
    ctx.identity.proofs,
    () => begin(ctx, caller, clientId, given),
    () => isDeviceOf(ctx, given),
  );
}

async function begin(
  ctx: Context,
  caller: Caller,
  clientId: string,
  { email, A, attempt, device }: Inputs['srpStart'],
): Promise<Wire['srpStart']['answer']> {
  const found = attempt
    ? await ofSignUp(ctx, caller, { email, attempt })
    : await ofAccount(ctx, caller, { email, device, clientId });
  const { patientId, identity, salt, v, kdf, lane, signUp } = found;
  const { b, B } = await ctx.identity.srp.offer(v);
  const hex = (number: bigint) => toHex(toBytes(number, SRP_GROUP.byteLength));
  const state: Handshake = {
    identity,
    salt,
    v: hex(v),
    b: toHex(toBytes(b)),
    A: hex(toInteger(fromHex(A, SRP_GROUP.byteLength))),
    B: hex(B),
    email,
    device: found.device,
    ...(signUp && { signUp }),
  };
  const step = { patientId, clientId, state, lane, lifetimeMs: HANDSHAKE_LIFETIME };
  const handshake = await storeStep(ctx.db, ctx, 'srp', step);
  return { handshake, identity, salt, B: hex(B), kdf, expires_in: HANDSHAKE_LIFETIME / SECOND };
}

/** Returns whether the device secret belongs to the account of this email. */
async function isDeviceOf(
  ctx: Context,
  { email, device }: Pick<Inputs['srpStart'], 'email' | 'device'>,
): Promise<boolean> {
  if (!device) return false;
  const patient = await ctx.db.patient.findFirst({ where: { tenantId: ctx.tenantId, email }, select: { id: true } });
  return patient !== null && isKnownDevice(ctx.db, ctx, device, { patientId: patient.id });
}

type Found = FoundRegistration & { lane: AttemptCounters; device: string | null; signUp?: SignUpHandle | null };
type Asked = { email: string; device: string | undefined; clientId: string };

async function ofAccount(ctx: Context, { ip }: Caller, { email, device, clientId }: Asked): Promise<Found> {
  const presented = deviceHash(device ?? '');
  const keys = failureKeys(ctx, personKey(ctx, email), { ip, device: presented });
  const { tries, ...found } = await findRegistration(ctx, email, { keys, device: presented });
  const lane = countersOfAttempt(keys, tries, ctx.clock.now());
  if (!lane) {
    const whose = { row: keys.unknownDevicesInRow, email, patientId: found.patientId, clientId };
    return rejectLockedOut(ctx, whose, tries.toldAt);
  }
  assertNotThrottled(ctx, tries.isKnown ? tries.deviceBlockedUntil : tries.sourceBlockedUntil);
  return { ...found, lane, device: tries.isKnown ? presented : null };
}

/**
 * Each sign-up has its own counters: its right password resets none of the account or of another sign-up. The device
 * that signed up is known to it; all other attempts also count in a row, because the account will have that password.
 */
async function ofSignUp(ctx: Context, caller: Caller, who: { email: string; attempt: string }): Promise<Found> {
  const found = await findSignUp(ctx, caller, who);
  const { key = 'sign-up', own = null } = found.signUp ?? {};
  const isKnown = key === own;
  const keys = failureKeys(ctx, personKey(ctx, personAt(who.email, key)), { ip: caller.ip, device: own });
  const { tenantId, db, clock } = ctx;
  const rows = await db.signInFailure.findMany({ where: { tenantId, key: { in: Object.values(keys) } } });
  const rowOf = (one: string) => rows.find((row) => row.key === one);
  const { closedAt = null } = rowOf(keys.unknownDevicesInRow) ?? {};
  const lane = countersOfAttempt(keys, { closedAt, approvedUntil: null, isKnown }, clock.now());
  if (!lane) throw signUpLockedOut();
  assertNotThrottled(ctx, rowOf(lane.wait)?.blockedUntil);
  return { ...found, lane: isKnown ? { ...lane, row: null } : lane, device: null };
}

type Row = { key: string; content: Uint8Array<ArrayBuffer> };
/** The sign-up that a proof would unlock, and the hash of the device secret that it is then bound to. */
export type SignUpHandle = { key: string; own: string };
type FoundSignUp = FoundRegistration & { signUp: SignUpHandle | null };

/**
 * Finds the registration of an unconfirmed sign-up with this email, or a decoy: the device's own; on another device,
 * one from the same source, else the last. It is returned whether or not the address has an account, so that it does
 * not reveal one.
 */
async function findSignUp(
  ctx: Context,
  caller: Caller,
  { email, attempt }: { email: string; attempt: string },
): Promise<FoundSignUp> {
  const { key: own, person } = pendingSignUpKeys(ctx, email, attempt);
  const [row] = await ctx.db.$queryRaw<Row[]>`
    select key, content from sign_up_attempts
    where tenant_id = ${ctx.tenantId}::uuid and person = ${person}
    order by key = ${own} desc, source = ${personKey(ctx, sourceOf(caller.ip))} desc, created_at desc
    limit 1`;
  const srp = row && openPendingSignUp(ctx, row).srp;
  if (!srp) return { ...decoyRegistration(ctx, `${email}\nsign-up`), signUp: null };
  const { identity, salt, verifier, kdf } = srp;
  const v = toInteger(Buffer.from(verifier, 'hex'));
  return { patientId: null, identity, salt, v, kdf, signUp: { key: row.key, own } };
}
