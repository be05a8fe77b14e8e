import type { Services } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { attemptKey, attemptsOf, strictest } from './attempts.ts';
import { NOWHERE } from './nowhere.ts';
import { PASSWORD_LENGTH, verifyPassword } from './password.ts';
import { staffRoute } from './staff-route.ts';

/**
 * By account and source, so that a stranger cannot lock somebody out; by account alone, against many sources; by source
 * alone, against many accounts, each of which costs a whole password check.
 */
const WRONG_PER_MINUTE = { accountAndSource: 5, account: 30, source: 120 };
/** One e-mail may work for several clinics; more than these are not tried. */
const MAX_TENANTS = 5;

export type SignInStaffInput = { email: string; password: string; source: string };
export type SignedInStaff = { userId: string; tenantId: string; name: string; email: string };

/**
 * Who has this e-mail and password, or null. An unknown e-mail, a wrong password and a disabled user get the same
 * answer; an unknown e-mail costs as much as a wrong password. After five wrong tries in a minute the right one has to
 * wait too: rate_limited.
 */
export async function signInStaff(services: Services, input: SignInStaffInput): Promise<SignedInStaff | null> {
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
  if (found) for (const { key } of limits) attempts.giveBack(key);
  return found;
}

async function findStaff(services: Services, email: string, password: string): Promise<SignedInStaff | null> {
  if (password.length > PASSWORD_LENGTH.max) return null;
  const known = await services.database.tenantsOf(staffRoute(email));
  for (const tenantId of known.length > 0 ? known.slice(0, MAX_TENANTS) : [NOWHERE]) {
    const user = await services.database.forTenant(tenantId).staffUser.findFirst({ where: { tenantId, email } });
    const right = await verifyPassword(user?.passwordHash ?? null, password);
    if (user && right && user.disabledAt === null) return { userId: user.id, tenantId, name: user.name, email };
  }
  return null;
}
