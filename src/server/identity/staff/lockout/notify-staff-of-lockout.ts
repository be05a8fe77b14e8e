import { NO_TENANT } from '#server/core/ids.ts';
import { sendMessage } from '#server/messages/index.ts';
import { type Services, systemContext } from '../../../core/context.ts';
import type { Jobs } from '../../../core/jobs.ts';
import { record } from '../../../core/record.ts';
import { UNLOCK_LINK_LIFETIME, type UnlockState, unlockUrl } from '../../verification/lockout/notify-patient.ts';
import { staffRoute } from '../../verification/person.ts';
import { storeStep } from '../../verification/steps.ts';
import { portalContext, staffPerson } from './portal-context.ts';
import { openLockoutJob } from './staff-attempt.ts';

/** Job: emails the link that unlocks sign-in for new devices, for each clinic where the email has an account. */
export async function notifyStaffOfLockout(services: Services, job: Jobs['tell_staff_of_closing']): Promise<void> {
  const email = openLockoutJob(services, job);
  const portal = portalContext(services);
  const until = new Date(services.clock.now().getTime() + UNLOCK_LINK_LIFETIME).toISOString();
  for (const tenantId of await services.database.tenantsOf(staffRoute(email))) {
    const ctx = systemContext(services, tenantId, 'tell_staff_of_closing');
    const where = { tenantId, email, disabledAt: null, passwordHash: { not: null } };
    const user = await ctx.db.staffUser.findFirst({ where });
    if (!user) continue;
    const state: UnlockState = { person: staffPerson(portal, email), email };
    const step = { patientId: null, clientId: NO_TENANT, state, lifetimeMs: UNLOCK_LINK_LIFETIME };
    const url = unlockUrl(ctx, await storeStep(portal.db, portal, 'reopening', step));
    await ctx.db.$transaction(async (tx) => {
      await record(tx, ctx, { action: 'account.lock_sign_in', object: { type: 'StaffUser', id: user.id } });
      await sendMessage(tx, ctx, { kind: 'staff_sign_in_closed', staffUserId: user.id, to: email, url, until });
    });
  }
}
