import { type Services, systemContext } from '../../core/context.ts';
import type { Jobs } from '../../core/jobs.ts';
import { record } from '../../core/record.ts';
import { staffRoute } from '../../identity/proving/staff-route.ts';
import { openStaffReset } from '../../identity/staff/request-staff-reset.ts';
import { issueStaffLink } from './issue-staff-link.ts';

/**
 * Mails a link to set a new password to whoever signs in with that address, at each clinic; to nobody when nobody
 * does. Whether anything was sent is known here only, long after the page has answered.
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
