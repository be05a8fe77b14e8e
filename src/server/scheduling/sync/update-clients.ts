import { type Services, systemContext } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { findSchedulingAccount } from '#server/integrations/index.ts';
import { SchedulingError } from '#server/providers/scheduling-provider.ts';
import { clientOf, providerIdOf } from '../appointments/appointment.ts';
import { isOfFormerAccount } from './apply-provider-state.ts';

/**
 * Job: writes a patient's name and contact data to their upcoming appointments at the provider, which were booked for a
 * record that was merged into the patient's. An appointment that the provider rejects keeps what it has there.
 */
export async function updateClients(
  services: Services,
  { tenantId, patientId }: Jobs['update_clients'],
): Promise<void> {
  const ctx = systemContext(services, tenantId, 'update_clients');
  const account = await findSchedulingAccount(ctx, 'background');
  if (!account) return;
  const appointments = await ctx.db.appointment.findMany({
    where: { tenantId, patientId, status: 'scheduled', startAt: { gt: ctx.clock.now() } },
    orderBy: { startAt: 'asc' },
  });
  for (const row of appointments) {
    if (isOfFormerAccount(row, account)) continue;
    const patient = await ctx.db.patient.findFirstOrThrow({ where: { tenantId, id: patientId } });
    try {
      await account.provider.setClient(providerIdOf(row), clientOf(patient));
    } catch (error) {
      if (!(error instanceof SchedulingError) || error.reason === null) throw error;
      ctx.log.warn({ appointmentId: row.id, err: error.message }, 'the name could not be written at the provider');
    }
  }
}
