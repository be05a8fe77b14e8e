import type { Role } from '#contract/roles.ts';
import { NO_TENANT, newId, tenantOfToken } from '#server/core/ids.ts';
import { actorOfStaff } from '../../core/actor.ts';
import { contextFor, type Services } from '../../core/context.ts';
import { Prisma } from '../../core/db.ts';
import { sourceOf } from '../../core/ip-address.ts';
import { assertRateLimit } from '../../core/rate-limiter.ts';
import { record } from '../../core/record.ts';
import { recordFailedAttempt } from '../../core/record-access.ts';
import { knownDeviceSql, secretOfSession } from '../verification/known-device.ts';
import { staffRoute } from '../verification/person.ts';
import { findStaffDevice } from './lockout/portal-context.ts';
import { beginStaffAttempt } from './lockout/staff-attempt.ts';
import { LONGEST_PASSWORD, verifyPassword } from './password.ts';
import { checkSecondStep } from './two-step/check-second-step.ts';

/** An email may work for several clinics; at most these are checked. */
const MAX_TENANTS = 5;

export type SignInStaffInput = {
  email: string;
  password: string;
  /** A code of the authenticator app, or a recovery code. */
  code?: string | undefined;
  /** The caller's IP address. */
  source: string;
  /** Secrets of all known devices that the browser holds, for any account. */
  devices?: string[];
  userAgent?: string | null;
};
export type SignedInStaff = {
  userId: string;
  tenantId: string;
  sessionId: string;
  name: string;
  email: string;
  /** The secret that makes this browser known to the account; null if it was known already. */
  device: string | null;
};
type AccountRef = { id: string; tenantId: string };
type StaffAccount = { id: string; tenantId: string; name: string; email: string; role: Role; passwordHash: string };

/**
 * Starts a session for a staff user by email and password. Returns null for an unknown email (at the cost of a wrong
 * password), a wrong password, and a disabled or invited user. Wrong passwords throttle their source or known device; a
 * hundred in a row from unknown devices lock the account for such devices.
 *
 * A user with a second step gets `code_required` only after the right password, as in other products. It reveals that
 * the password is right, but password attempts stay as limited as before, code attempts are fewer, and the owner still
 * holds the second factor.
 * @throws `invalid_code`, `rate_limited`, `sign_in_closed`
 */
export async function signInStaff(
  services: Services,
  input: SignInStaffInput,
): Promise<SignedInStaff | 'code_required' | null> {
  const { password, code, source: ip, userAgent = null, devices: secrets = [] } = input;
  const from = { ip, userAgent };
  const email = input.email.trim().toLowerCase();
  // Counted before the check, so that concurrent attempts all count; uncounted when the password is right.
  const uncount = assertRateLimit(services, { name: 'wrong_staff_sign_ins', key: [sourceOf(ip)] });
  const tenants = (await services.database.tenantsOf(staffRoute(email))).slice(0, MAX_TENANTS);
  const device = await findStaffDevice(services, { email, tenants, secrets });
  const user = await attemptSignIn(services, { email, password, ...from, tenants, device });
  if (!user) return null;
  uncount();
  const step = await checkSecondStep(services, user, code, from);
  if (step === 'code_required') return step;
  const verified = { ...user, isTwoStep: step === 'done' };
  const session = await beginStaffSession(services, verified, device ?? undefined, from);
  return session && { userId: user.id, tenantId: user.tenantId, name: user.name, email, ...session };
}

type RequestOrigin = { ip: string; userAgent: string | null };
type SignInAttempt = RequestOrigin & { email: string; password: string; tenants: string[]; device: string | null };

/**
 * A device is known only at its own clinic. At other clinics of the same email, the attempt counts as one of an unknown
 * device, and its failures stay counted when the password fits elsewhere.
 */
async function attemptSignIn(
  services: Services,
  { tenants, device, ...request }: SignInAttempt,
): Promise<StaffAccount | null> {
  const own = device && tenantOfToken(device);
  const others = tenants.filter((id) => id !== own);
  const isOneOfMany = others.length > 1 || (own !== null && others.length > 0);
  const attempts = [
    ...(own ? [{ tenants: [own], device, isOneOfMany: false }] : []),
    ...(own && others.length === 0 ? [] : [{ tenants: others, device: null, isOneOfMany }]),
  ];
  // Failed accounts; not reported when the same attempt then signs in at another clinic.
  const failed: AccountRef[] = [];
  for (const target of attempts) {
    const attempt = await beginStaffAttempt(services, { ...request, ...target });
    const user = await findStaff(services, { ...request, tenants: target.tenants, failed });
    await (user ? attempt.recordSuccess() : attempt.recordFailure());
    if (user) return user;
  }
  for (const { id, tenantId } of failed) {
    const ctx = contextFor(services, { kind: 'visitor', tenantId }, request);
    const object = { type: 'StaffUser', id };
    recordFailedAttempt(ctx, { action: 'account.sign_in', object, outcome: 'invalid_credentials' });
  }
  return null;
}

async function findStaff(
  services: Services,
  { email, password, tenants, failed }: { email: string; password: string; tenants: string[]; failed: AccountRef[] },
): Promise<StaffAccount | null> {
  if (password.length > LONGEST_PASSWORD) return null;
  for (const tenantId of tenants.length > 0 ? tenants : [NO_TENANT]) {
    const user = await services.database.forTenant(tenantId).staffUser.findFirst({ where: { tenantId, email } });
    const isRight = await verifyPassword(services, user?.passwordHash ?? null, password);
    if (user?.passwordHash && isRight && user.disabledAt === null)
      return { ...user, role: user.role as Role, passwordHash: user.passwordHash };
    if (user) failed.push({ id: user.id, tenantId });
  }
  return null;
}

/** `isTwoStep`: the second step was verified too. */
type VerifiedStaff = { id: string; tenantId: string; role: Role; passwordHash: string; isTwoStep: boolean };

/** `device` is the secret that makes the browser known from now on; null if it was known already. */
type BegunStaffSession = { sessionId: string; device: string | null };

/**
 * Starts a session for a staff user who has just authenticated and makes the browser a known device. Returns null if
 * the user was disabled, the password was changed or the second step was turned on in the meantime: the code that ends
 * all sessions waits for these rows, or this statement sees its change.
 * @param presented secret of a known device that the browser holds for this account
 */
export async function beginStaffSession(
  services: Services,
  verified: VerifiedStaff,
  presented?: string,
  from: { ip?: string; userAgent?: string | null } = {},
): Promise<BegunStaffSession | null> {
  const { id: userId, tenantId, role, passwordHash, isTwoStep } = verified;
  const ctx = contextFor(services, actorOfStaff({ role, tenantId, userId }), from);
  const now = ctx.clock.now();
  const id = newId(now);
  return ctx.db.$transaction(async (tx) => {
    const [step] = await tx.$queryRaw<{ isOn: boolean }[]>`
      select secret is not null as "isOn" from staff_two_steps
      where tenant_id = ${tenantId}::uuid and user_id = ${userId}::uuid for share`;
    if (step?.isOn && !isTwoStep) return null;
    const { count } = await tx.staffUser.updateMany({
      where: { tenantId, id: userId, passwordHash, disabledAt: null },
      data: { lastSignedInAt: now },
    });
    if (count === 0) return null;
    await tx.staffSession.create({ data: { id, tenantId, userId, createdAt: now } });
    await record(tx, ctx, { action: 'account.sign_in', object: { type: 'StaffUser', id: userId } });
    const secret = secretOfSession(ctx, id);
    const once = Prisma.sql`(values (1)) as once`;
    const { known, device } = knownDeviceSql(ctx, { staffUserId: userId }, { presented, secret, from: once });
    const [row] = await tx.$queryRaw<{ isNew: boolean }[]>`
      with known as (${known}), device as (${device}) select exists (select from device) as "isNew"`;
    return { sessionId: id, device: row?.isNew ? secret : null };
  });
}
