import type { Role } from '#contract/settings.ts';
import { NO_TENANT, tenantOfToken } from '#server/core/ids.ts';
import { contextFor, type Services } from '../../core/context.ts';
import { countTry, limitKey } from '../../core/count-try.ts';
import { sourceOf } from '../../core/network-of.ts';
import { noteFailedTry } from '../../core/note-access.ts';
import { staffRoute } from '../proving/staff-route.ts';
import { beginStaffSession } from './begin-staff-session.ts';
import { LONGEST_PASSWORD, verifyPassword } from './password.ts';
import { findStaffDevice } from './tries/find-staff-device.ts';
import { beginStaffTry } from './tries/staff-tries.ts';
import { checkSecondStep } from './two-step/check-second-step.ts';

/** Of one source, whichever accounts it names, each of which costs a whole password check. */
const WRONG_PER_MINUTE = 120;
/** One e-mail may work for several clinics; more than these are not tried. */
const MAX_TENANTS = 5;

export type SignInStaffInput = {
  email: string;
  password: string;
  /** Of the authenticator app, or a recovery code. */
  code?: string | undefined;
  /** The caller's address. */
  source: string;
  /** The secrets of known devices that the browser holds, for whichever accounts. */
  devices?: string[];
  userAgent?: string | null;
};
export type SignedInStaff = {
  userId: string;
  tenantId: string;
  sessionId: string;
  name: string;
  email: string;
  /** What makes this browser known to the account from now on; null where it was. */
  device: string | null;
};
type Owned = { id: string; tenantId: string };
type Found = { id: string; tenantId: string; name: string; email: string; role: Role; passwordHash: string };

/**
 * Begins a session of whoever has this e-mail and password; null for nobody. An unknown e-mail, a wrong password, a
 * disabled and an invited user get the same answer; an unknown e-mail costs as much as a wrong password. Wrong ones make
 * their source, or their known device, wait; a hundred in a row from devices that are not known close it to these.
 *
 * Who has a second step is asked for it (`code_required`) once the password was right, as people expect it. That tells
 * a guesser that the password is right, which helps little: tries at passwords are as few as before, tries at codes
 * fewer, and the owner of the account still holds the second key.
 * Errors: invalid_code, rate_limited, sign_in_closed.
 */
export async function signInStaff(
  services: Services,
  input: SignInStaffInput,
): Promise<SignedInStaff | 'code_required' | null> {
  const { password, code, source: ip, userAgent = null, devices: secrets = [] } = input;
  const from = { ip, userAgent };
  const email = input.email.trim().toLowerCase();
  const sourceKey = limitKey('staff-source', sourceOf(ip));
  // Counted before the check, so that tries made at the same moment all count, and given back when right.
  countTry(services, sourceKey, WRONG_PER_MINUTE);
  const tenants = (await services.database.tenantsOf(staffRoute(email))).slice(0, MAX_TENANTS);
  const device = await findStaffDevice(services, { email, tenants, secrets });
  const found = await trySignIn(services, { email, password, ...from, tenants, device });
  if (!found) return null;
  services.limits.minute.giveBack(sourceKey);
  const step = await checkSecondStep(services, found, code, from);
  if (step === 'code_required') return step;
  const proven = { ...found, isTwoStep: step === 'done' };
  const begun = await beginStaffSession(services, proven, device ?? undefined, from);
  return begun && { userId: found.id, tenantId: found.tenantId, name: found.name, email, ...begun };
}

type From = { ip: string; userAgent: string | null };
type Trying = From & { email: string; password: string; tenants: string[]; device: string | null };

/**
 * A device counts as known where it is: at its own clinic. At others that the e-mail works for, the same try is one of an
 * unknown device, whose wrong ones stay counted when a password fits elsewhere.
 */
async function trySignIn(services: Services, { tenants, device, ...who }: Trying): Promise<Found | null> {
  const own = device && tenantOfToken(device);
  const others = tenants.filter((id) => id !== own);
  const isOneOfMany = others.length > 1 || (own !== null && others.length > 0);
  const tries = [
    ...(own ? [{ tenants: [own], device, isOneOfMany: false }] : []),
    ...(own && others.length === 0 ? [] : [{ tenants: others, device: null, isOneOfMany }]),
  ];
  // An account of somebody who then gets in elsewhere was not attacked.
  const tried: Owned[] = [];
  for (const one of tries) {
    const attempt = await beginStaffTry(services, { ...who, ...one });
    const found = await findStaff(services, { ...who, tenants: one.tenants, tried });
    await (found ? attempt.wasRight() : attempt.wasWrong());
    if (found) return found;
  }
  for (const { id, tenantId } of tried) {
    const ctx = contextFor(services, { kind: 'visitor', tenantId }, who);
    const object = { type: 'StaffUser', id };
    noteFailedTry(ctx, { action: 'account.sign_in', object, outcome: 'invalid_credentials' });
  }
  return null;
}

async function findStaff(
  services: Services,
  { email, password, tenants, tried }: { email: string; password: string; tenants: string[]; tried: Owned[] },
): Promise<Found | null> {
  if (password.length > LONGEST_PASSWORD) return null;
  for (const tenantId of tenants.length > 0 ? tenants : [NO_TENANT]) {
    const user = await services.database.forTenant(tenantId).staffUser.findFirst({ where: { tenantId, email } });
    const right = await verifyPassword(services, user?.passwordHash ?? null, password);
    if (user?.passwordHash && right && user.disabledAt === null)
      return { ...user, role: user.role as Role, passwordHash: user.passwordHash };
    if (user) tried.push({ id: user.id, tenantId });
  }
  return null;
}
