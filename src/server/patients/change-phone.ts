import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { confirmPatient } from './confirm-patient.ts';
import { lockPatient } from './lock-patient.ts';
import { planAddresses } from './plan-addresses.ts';
import { planPhones } from './plan-phones.ts';
import { searchText } from './search-text.ts';
import { writeNestedRows } from './write-nested-rows.ts';

/** Makes a number that a patient has proved its primary one, in the caller's transaction; the others stay. */
export async function changePhone(tx: Tx, ctx: Context, id: string, number: string): Promise<void> {
  const patient = await lockPatient(ctx, tx, id);
  const known = patient.phones.find((phone) => phone.number === number);
  const change = known
    ? { phones_attributes: [{ id: known.id, primary: true, active: true }] }
    : { phone_number: number };
  const phones = planPhones(patient.phones, change);
  await writeNestedRows(tx, ctx, id, phones, planAddresses(patient.addresses, {}));
  const phoneNumbers = phones.rows.map((phone) => phone.number);
  await tx.patient.update({
    where: { tenantId_id: { tenantId: ctx.tenantId, id } },
    data: { phoneNumber: number, searchText: searchText({ ...patient, phoneNumbers }) },
  });
  const proved = { phoneNumberVerified: true } as const;
  await confirmPatient(tx, ctx, { id, proved, action: 'patients.change_phone', event: 'patient.updated' });
}
