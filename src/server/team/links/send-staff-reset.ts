import { type Services, systemContext } from '../../core/context.ts';
import { CarelaneError } from '../../core/errors.ts';
import type { Jobs } from '../../core/jobs.ts';
import { record } from '../../core/record.ts';
import { countSend } from '../../identity/codes/count-send.ts';
import { lockPerson } from '../../identity/codes/lock-person.ts';
import { openStaffReset } from '../../identity/staff/request-staff-reset.ts';
import { staffRoute } from '../../identity/staff-route.ts';
import { issueStaffLink } from './issue-staff-link.ts';

/**
 * Mails a link to set a new password to whoever signs in with that address, at each clinic; to nobody when nobody
 * does. Whether anything was sent is known here only, long after the page has answered.
 */
export async function sendStaffReset(services: Services, job: Jobs['send_staff_reset']): Promise<void> {
  const { email, source } = openStaffReset(services, job);
  for (const tenantId of await services.database.tenantsOf(staffRoute(email))) {
    const ctx = systemContext(services, tenantId, 'send_staff_reset');
    const where = { tenantId, email, disabledAt: null, passwordHash: { not: null } };
    const user = await ctx.db.staffUser.findFirst({ where });
    if (user)
      await ctx.db
        .$transaction(async (tx) => {
          await lockPerson(tx, `${tenantId}:staff:${email}`);
          await countSend(tx, ctx, `staff:${email}`, source);
          await issueStaffLink(tx, ctx, user, 'reset');
          await record(tx, ctx, { action: 'account.request_reset', object: { type: 'StaffUser', id: user.id } });
        })
        .catch(unlessTooMany);
  }
}

/** Asked for again too soon: the link before is on its way. */
function unlessTooMany(error: unknown): void {
  if (!(error instanceof CarelaneError && error.code === 'rate_limited')) throw error;
}
