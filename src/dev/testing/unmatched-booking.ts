import type { Db } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
let last = 700_000_000;

/** Inserts an Acuity booking without a patient. @returns its id */
export async function insertUnmatched(
  { db, tenantId }: { db: Db; tenantId: string },
  values: { id?: string; status?: string; ignoredAt?: Date; email?: string | null } = {},
): Promise<string> {
  const row = await db.integration.findFirst({ where: { tenantId, provider: 'acuity' } });
  const { id = newId(), email = `${id}@example.test`, status = 'scheduled', ignoredAt = null } = values;
  const now = new Date();
  last += 1;
  const startAt = new Date(now.getTime() + 80 * DAY_MS + last * 60_000 * 31 - 700_000_000 * 60_000 * 31);
  await db.unmatchedAppointment.createMany({
    data: [
      {
        ...{ id, tenantId, accountId: row?.accountId ?? '1', providerAppointmentId: last },
        ...{ appointmentTypeId: 1, appointmentType: 'Visit', calendarId: 1, calendar: 'Rowan Example' },
        ...{ startAt, endAt: new Date(startAt.getTime() + 30 * 60_000), timeZone: 'UTC', status },
        ...{ firstName: 'Robin', lastName: 'Example', email, phoneNumber: null, ignoredAt },
        ...{ createdAt: now, updatedAt: now },
      },
    ],
    skipDuplicates: true,
  });
  return id;
}
