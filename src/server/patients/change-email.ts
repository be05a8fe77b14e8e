import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import type { Change } from '#server/core/record.ts';
import { confirmPatient } from './confirm-patient.ts';
import { lockPatient, queueCustomerUpdate } from './patient.ts';
import { searchText } from './search-text.ts';

export type EmailBefore = { email: string | null; verified: boolean };
type EmailChange = { email: string | null; verified: boolean } & Pick<Change, 'action' | 'details'>;

/** Sets or removes a patient's email address in the caller's transaction. Returns the previous one. */
export async function changeEmail(
  tx: Tx,
  ctx: Context,
  id: string,
  { email, verified, ...change }: EmailChange,
): Promise<EmailBefore> {
  const patient = await lockPatient(ctx, tx, id);
  const phones = await tx.patientPhone.findMany({
    where: { tenantId: ctx.tenantId, patientId: id },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    select: { number: true },
  });
  const phoneNumbers = phones.map(({ number }) => number);
  await tx.patient.update({
    where: { tenantId_id: { tenantId: ctx.tenantId, id } },
    data: { email, searchText: searchText({ ...patient, email, phoneNumbers }) },
  });
  // Any other change makes a pending change requested by staff obsolete.
  await tx.askedEmailChange.deleteMany({ where: { tenantId: ctx.tenantId, patientId: id, confirmedAt: null } });
  await queueCustomerUpdate(tx, ctx, id);
  await confirmPatient(tx, ctx, { id, flags: { emailVerified: verified }, event: 'patient.updated', ...change });
  return { email: patient.email, verified: patient.emailVerified };
}
