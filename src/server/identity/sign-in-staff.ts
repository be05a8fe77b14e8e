import type { Role } from '#contract/settings.ts';
import type { Services } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { attemptKey, attemptsOf, strictest } from './attempts.ts';
import { NOWHERE } from './nowhere.ts';
import { LONGEST_PASSWORD, verifyPassword } from './password.ts';
import { beginStaffSession } from './staff/begin-staff-session.ts';
import { checkSecondStep } from './staff/two-step/check-second-step.ts';
import { staffRoute } from './staff-route.ts';

/**
 * By account and source, so that a stranger cannot lock somebody out; by account alone, against many sources; by source
 * alone, against many accounts, each of which costs a whole password check.
 */
const WRONG_PER_MINUTE = { accountAndSource: 5, account: 30, source: 120 };
/** One e-mail may work for several clinics; more than these are not tried. */
const MAX_TENANTS = 5;

export type SignInStaffInput = {
  email: string;
  password: string;
  /** Of the authenticator app, or a recovery code. */
  code?: string | undefined;
  source: string;
};
export type SignedInStaff = { userId: string; tenantId: string; sessionId: string; name: string; email: string };
type Found = { id: string; tenantId: string; name: string; email: string; role: Role; passwordHash: string };

/**
 * Begins a session of whoever has this e-mail and password; null for nobody. An unknown e-mail, a wrong password, a
 * disabled and an invited user get the same answer; an unknown e-mail costs as much as a wrong password. After five
 * wrong tries in a minute the right one has to wait too: rate_limited.
 *
 * Who has a second step is asked for it (`code_required`) once the password was right, as people expect it. That tells
 * a guesser that the password is right, which helps little: tries at passwords are as few as before, tries at codes
 * fewer, and the owner of the account still holds the second key. Errors: invalid_code, rate_limited.
 */
export async function signInStaff(
  services: Services,
  input: SignInStaffInput,
): Promise<SignedInStaff | 'code_required' | null> {
  const email = input.email.trim().toLowerCase();
  const attempts = attemptsOf(services);
  const limits = [
    { key: attemptKey('staff', email, input.source), limit: WRONG_PER_MINUTE.accountAndSource },
    { key: attemptKey('staff', email), limit: WRONG_PER_MINUTE.account },
    { key: attemptKey('staff-source', input.source), limit: WRONG_PER_MINUTE.source },
  ];
  // Counted before the check, so that tries made at the same moment all count, and given back when right.
  const state = strictest(limits.map(({ key, limit }) => attempts.take(key, limit)));
  if (!state.allowed) throw refuse('rate_limited', `Too many tries; wait ${state.resetSeconds} seconds and try again.`);
  const found = await findStaff(services, email, input.password);
  if (!found) return null;
  for (const { key } of limits) attempts.giveBack(key);
  if ((await checkSecondStep(services, found, input.code)) === 'code_required') return 'code_required';
  const sessionId = await beginStaffSession(services, found);
  return sessionId === null ? null : { userId: found.id, tenantId: found.tenantId, sessionId, name: found.name, email };
}

async function findStaff(services: Services, email: string, password: string): Promise<Found | null> {
  if (password.length > LONGEST_PASSWORD) return null;
  const known = await services.database.tenantsOf(staffRoute(email));
  for (const tenantId of known.length > 0 ? known.slice(0, MAX_TENANTS) : [NOWHERE]) {
    const user = await services.database.forTenant(tenantId).staffUser.findFirst({ where: { tenantId, email } });
    const right = await verifyPassword(user?.passwordHash ?? null, password);
    if (user?.passwordHash && right && user.disabledAt === null)
      return { ...user, role: user.role as Role, passwordHash: user.passwordHash };
  }
  return null;
}
