import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { confirmPatient } from './confirm-patient.ts';
import { lockPatient } from './lock-patient.ts';
import { searchText } from './search-text.ts';

/** Gives a patient an e-mail address that it has proved, in the caller's transaction. Returns the one before. */
export async function changeEmail(tx: Tx, ctx: Context, id: string, email: string): Promise<string | null> {
  const patient = await lockPatient(ctx, tx, id);
  const phoneNumbers = patient.phones.map((phone) => phone.number);
  await tx.patient.update({
    where: { tenantId_id: { tenantId: ctx.tenantId, id } },
    data: { email, searchText: searchText({ ...patient, email, phoneNumbers }) },
  });
  const proved = { emailVerified: true } as const;
  await confirmPatient(tx, ctx, { id, proved, action: 'patients.change_email', event: 'patient.updated' });
  return patient.email;
}
