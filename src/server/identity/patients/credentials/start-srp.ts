import type { Wire } from '#sdk/protocol/endpoints.ts';
import { fromHex, toBytes, toHex, toInteger } from '#sdk/protocol/hex.ts';
import { KDF, type Kdf } from '#sdk/protocol/kdf.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context, Services } from '#server/core/context.ts';
import { keyedHash } from '#server/core/crypto.ts';
import { Prisma } from '#server/core/db.ts';
import { sourceOf } from '#server/core/ip-address.ts';
import { findPublicClient } from '../../applications/public-client.ts';
import { openVerifier } from '../../srp/verifier.ts';
import { runQueued } from '../../srp/work-queue.ts';
import type { Caller } from '../../verification/caller.ts';
import {
  type AttemptCounters,
  assertNotThrottled,
  countersOfAttempt,
  type FailureKeys,
  failureKeys,
  type LockoutState,
  readAttempt,
  signUpLockedOut,
} from '../../verification/failures.ts';
import { deviceHash, isKnownDevice } from '../../verification/known-device.ts';
import { rejectLockedOut } from '../../verification/lockout/notify-patient.ts';
import { personAt, personKey } from '../../verification/person.ts';
import { assertSourceLimit } from '../../verification/request-context.ts';
import { storeStep } from '../../verification/steps.ts';
import type { Inputs } from '../inputs.ts';
import { openPendingSignUp, pendingSignUpKeys } from '../sign-ups/pending-sign-up.ts';

const HANDSHAKE_LIFETIME = 2 * MINUTE;

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
  input: Inputs['srpStart'],
): Promise<Wire['srpStart']['response']> {
  const { id: clientId, ctx } = await findPublicClient(services, input.client_id, caller, 'credentials');
  assertSourceLimit(ctx, 'srp_starts', caller);
  return runQueued(
    ctx.identity.proofs,
    () => begin(ctx, caller, clientId, input),
    () => isDeviceOf(ctx, input),
  );
}

async function begin(
  ctx: Context,
  caller: Caller,
  clientId: string,
  { email, A, attempt, device }: Inputs['srpStart'],
): Promise<Wire['srpStart']['response']> {
  const start = attempt
    ? await stateForSignUp(ctx, caller, { email, attempt })
    : await stateForAccount(ctx, caller, { email, device, clientId });
  const { patientId, identity, salt, v, kdf, counters, signUp } = start;
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
    device: start.device,
    ...(signUp && { signUp }),
  };
  const step = { patientId, clientId, state, counters, lifetimeMs: HANDSHAKE_LIFETIME };
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

type StartState = StoredRegistration & {
  counters: AttemptCounters;
  device: string | null;
  signUp?: SignUpHandle | null;
};
type AccountQuery = { email: string; device: string | undefined; clientId: string };

async function stateForAccount(
  ctx: Context,
  { ip }: Caller,
  { email, device, clientId }: AccountQuery,
): Promise<StartState> {
  const presentedHash = deviceHash(device ?? '');
  const keys = failureKeys(ctx, personKey(ctx, email), { ip, device: presentedHash });
  const { attempts, ...registration } = await findRegistration(ctx, email, { keys, device: presentedHash });
  const counters = countersOfAttempt(keys, attempts, ctx.clock.now());
  if (!counters) {
    const account = { row: keys.unknownDevicesInRow, email, patientId: registration.patientId, clientId };
    return rejectLockedOut(ctx, account, attempts.toldAt);
  }
  assertNotThrottled(ctx, attempts.isKnown ? attempts.deviceBlockedUntil : attempts.sourceBlockedUntil);
  return { ...registration, counters, device: attempts.isKnown ? presentedHash : null };
}

/**
 * Each sign-up has its own counters: its right password resets none of the account or of another sign-up. The device
 * that signed up is known to it; all other attempts also count in a row, because the account will have that password.
 */
async function stateForSignUp(
  ctx: Context,
  caller: Caller,
  query: { email: string; attempt: string },
): Promise<StartState> {
  const registration = await findSignUp(ctx, caller, query);
  const { key = 'sign-up', own = null } = registration.signUp ?? {};
  const isKnown = key === own;
  const keys = failureKeys(ctx, personKey(ctx, personAt(query.email, key)), { ip: caller.ip, device: own });
  const { counters } = await readAttempt(ctx, keys, isKnown);
  if (!counters) throw signUpLockedOut();
  return { ...registration, counters: isKnown ? { ...counters, row: null } : counters, device: null };
}

type Row = { key: string; content: Uint8Array<ArrayBuffer> };
/** The sign-up that a proof would unlock, and the hash of the device secret that it is then bound to. */
export type SignUpHandle = { key: string; own: string };
type StoredSignUp = StoredRegistration & { signUp: SignUpHandle | null };

/**
 * Finds the registration of an unconfirmed sign-up with this email, or a decoy: the device's own; on another device,
 * one from the same source, else the last. It is returned whether or not the address has an account, so that it does
 * not reveal one.
 */
async function findSignUp(
  ctx: Context,
  caller: Caller,
  { email, attempt }: { email: string; attempt: string },
): Promise<StoredSignUp> {
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

const HASH_BYTES = 32;

type StoredRegistration = { patientId: string | null; identity: string; salt: string; v: bigint; kdf: Kdf };

/** Response for an unknown account: stable, of the right shape, and matching no password. */
function decoyRegistration(ctx: Context, email: string): StoredRegistration {
  const hash = (part: string) => keyedHash(ctx, 'srp/decoy', ctx.tenantId, email, part);
  const blocks = Array.from({ length: SRP_GROUP.byteLength / HASH_BYTES }, (_, index) => hash(`v${index}`));
  return {
    patientId: null,
    identity: hash('identity')
      .subarray(0, HASH_BYTES / 2)
      .toString('hex'),
    salt: hash('salt').toString('hex'),
    v: (toInteger(Buffer.concat(blocks)) % (SRP_GROUP.N - 3n)) + 2n,
    kdf: KDF,
  };
}

/** State of a person's attempts for this source and device. */
type AttemptState = LockoutState & {
  isKnown: boolean;
  sourceBlockedUntil: Date | null;
  deviceBlockedUntil: Date | null;
};

type RegistrationRow = AttemptState & {
  ownerId: string | null;
  isInCare: boolean | null;
  identity: string | null;
  salt: string | null;
  verifier: Uint8Array | null;
  kdf: Kdf | null;
};

/**
 * Finds the account's registration or a decoy, whether the device is known, and the state of attempts. An archived
 * patient's registration is still returned, without the patient: a decoy would reveal the archiving to a caller who
 * compares. An unconfirmed sign-up is not returned here (see `findSignUp`), or a new sign-up would reveal that there
 * was none before. One statement, because every sign-in and every guess starts with it.
 */
async function findRegistration(
  ctx: Context,
  email: string,
  { keys, device }: { keys: FailureKeys; device: string },
): Promise<StoredRegistration & { attempts: AttemptState }> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const unknown = decoyRegistration(ctx, email);
  const [row] = await ctx.db.$query<RegistrationRow>(Prisma.sql`
    select p.id as "ownerId", coalesce(p.archived_at, p.care_ending_at) is null as "isInCare",
      s.srp_identity as identity, s.salt, s.verifier, s.kdf, d.hash is not null as "isKnown",
      fs.blocked_until as "sourceBlockedUntil", fs.approved_until as "approvedUntil",
      fd.blocked_until as "deviceBlockedUntil", fr.closed_at as "closedAt", fr.told_at as "toldAt"
    from (values (1)) as always
    left join patients p on p.tenant_id = ${tenantId}::uuid and p.email = ${email}
    left join patient_sign_ins s on s.tenant_id = p.tenant_id and s.patient_id = p.id
      and (s.confirmed_at is not null or s.temporary_until is not null)
    left join known_devices d on d.tenant_id = ${tenantId}::uuid and d.hash = ${device} and d.patient_id = p.id
      and p.archived_at is null and d.expires_at > ${now}::timestamptz
    left join sign_in_failures fs on fs.tenant_id = ${tenantId}::uuid and fs.key = ${keys.source}
    left join sign_in_failures fd on fd.tenant_id = ${tenantId}::uuid and fd.key = ${keys.device}
    left join sign_in_failures fr on fr.tenant_id = ${tenantId}::uuid and fr.key = ${keys.unknownDevicesInRow}`);
  if (!row) throw new Error('the statement returned no row');
  const { ownerId, isInCare, identity, salt, verifier, kdf, ...attempts } = row;
  if (!ownerId || !identity || !salt || !verifier || !kdf) return { ...unknown, attempts };
  const v = toInteger(Buffer.from(openVerifier(ctx, ownerId, verifier), 'hex'));
  return { patientId: isInCare ? ownerId : null, identity, salt, v, kdf, attempts };
}
