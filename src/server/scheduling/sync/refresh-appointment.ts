import { type Services, systemContext } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { findSchedulingAccount } from '#server/integrations/scheduling-account.ts';
import { syncAppointment } from './sync-appointment.ts';

/** Job: syncs one appointment with the provider; skips accounts that were replaced by another. */
export async function refreshAppointment(services: Services, job: Jobs['refresh_appointment']): Promise<void> {
  const { tenantId, accountId, providerAppointmentId, found } = job;
  const ctx = systemContext(services, tenantId, 'refresh_appointment');
  const account = await findSchedulingAccount(ctx, 'behind');
  if (account?.accountId !== accountId) return;
  await syncAppointment(ctx, account, providerAppointmentId, { repairs: found !== undefined });
}
