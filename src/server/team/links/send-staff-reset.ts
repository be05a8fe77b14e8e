import { type Services, systemContext } from '../../core/context.ts';
import type { Jobs } from '../../core/jobs.ts';
import { record } from '../../core/record.ts';
import { openStaffReset } from '../../identity/staff/request-staff-reset.ts';
import { staffRoute } from '../../identity/verification/person.ts';
import { issueStaffLink } from './staff-link.ts';

/**
 * Job: mails a reset link to the users with this email, one for each clinic. It runs after the response, so that the
 * response does not reveal whether the address has an account.
 */
export async function sendStaffReset(services: Services, job: Jobs['send_staff_reset']): Promise<void> {
  const email = openStaffReset(services, job);
  for (const tenantId of await services.database.tenantsOf(staffRoute(email))) {
    const ctx = systemContext(services, tenantId, 'send_staff_reset');
    const where = { tenantId, email, disabledAt: null, passwordHash: { not: null } };
    const user = await ctx.db.staffUser.findFirst({ where });
    if (!user) continue;
    await ctx.db.$transaction(async (tx) => {
      await issueStaffLink(tx, ctx, user, 'reset');
      await record(tx, ctx, { action: 'account.request_reset', object: { type: 'StaffUser', id: user.id } });
    });
  }
}
