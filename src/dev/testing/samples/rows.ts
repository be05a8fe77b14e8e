import { newId } from '#server/core/ids.ts';
import type { Sandbox } from '../clinic.ts';

/** A Stripe subscription of a customer without a patient. */
export const UNKNOWN = 'sub_SampleUnknown';

export async function insertUnknown({ db, tenantId }: Sandbox['ctx']): Promise<void> {
  const row = await db.integration.findFirst({ where: { tenantId, provider: 'stripe' } });
  const now = new Date();
  await db.unknownSubscription.createMany({
    data: [
      {
        ...{ tenantId, id: UNKNOWN, accountId: row?.accountId ?? 'acct_1', customerId: 'cus_SampleUnknown' },
        ...{ status: 'active', name: 'Essential care', firstSeenAt: now, seenAt: now },
      },
    ],
    skipDuplicates: true,
  });
}

/** Inserts an invited staff user who has not signed in yet. */
export async function insertPractitioner({ db, tenantId }: Sandbox['ctx']): Promise<string> {
  const id = newId();
  await db.staffUser.create({
    data: { id, tenantId, email: `${id}@clinic.example.test`, name: 'Rowan Example', role: 'practitioner' },
  });
  return id;
}

/** Inserts a sent reminder of an appointment, with values that no plan generates. */
export async function insertMessage(
  { db, tenantId }: Sandbox['ctx'],
  appointmentId: string,
  more: { state?: string } = {},
): Promise<string> {
  const { patientId, startAt } = await db.appointment.findFirstOrThrow({ where: { tenantId, id: appointmentId } });
  const id = newId();
  const about = { tenantId, patientId, appointmentId, startAt };
  await db.visitMessage.create({
    data: {
      ...{ id, ...about, kind: 'reminder', channel: 'email', minutesBefore: 45, turn: 1 },
      ...{ dueAt: new Date(), state: 'sent', sentAt: new Date(), ...more },
    },
  });
  return id;
}
