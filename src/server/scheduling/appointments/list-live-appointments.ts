import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';

/** Lists a patient's upcoming appointments, soonest first, and those with an unknown outcome at the provider. */
export const listLiveAppointments = (
  db: Pick<Tx, 'appointment'>,
  { tenantId, clock }: Pick<Context, 'tenantId' | 'clock'>,
  patientId: string,
): Promise<Appointment[]> =>
  db.appointment.findMany({
    where: {
      tenantId,
      patientId,
      OR: [
        { status: 'pending' },
        { status: 'scheduled', startAt: { gt: clock.now() }, completedAt: null },
        { status: 'scheduled', pendingChange: { not: Prisma.AnyNull } },
      ],
    },
    orderBy: [{ startAt: 'asc' }, { id: 'asc' }],
  });
