import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import type { Change } from '#server/core/record.ts';
import { confirmPatient } from './confirm-patient.ts';
import { planAddresses, planPhones, writeNestedRows } from './nested-rows.ts';
import { lockPatient, queueCustomerUpdate } from './patient.ts';
import { getPatientView } from './patient-view.ts';
import { searchText } from './search-text.ts';

/** The previous primary number, and whether the new one was among the others. */
export type PhoneBefore = { number: string | null; verified: boolean; wasKnown: boolean };
type PhoneChange = {
  /** Null removes the primary number. */
  number: string | null;
  verified: boolean;
  /** Numbers to delete. */
  drop?: string[];
} & Pick<Change, 'action' | 'details'>;

/**
 * Makes a number the patient's primary one in the caller's transaction; the others stay. Returns the previous state.
 */
export async function changePhone(
  tx: Tx,
  ctx: Context,
  id: string,
  { number, verified, drop = [], ...change }: PhoneChange,
): Promise<PhoneBefore> {
  const patient = await lockPatient(ctx, tx, id);
  const { phones: before, addresses } = await getPatientView(tx, ctx, id);
  const existing = before.find((phone) => phone.number === number);
  const dropped = before.filter((phone) => phone !== existing && drop.includes(phone.number));
  const unprimed = before.filter((phone) => number === null && phone.primary && !dropped.includes(phone));
  const phones = planPhones(before, {
    phones_attributes: [
      ...dropped.map((phone) => ({ id: phone.id, _destroy: true })),
      ...unprimed.map((phone) => ({ id: phone.id, primary: false })),
      ...(existing ? [{ id: existing.id, primary: true, active: true }] : []),
    ],
    ...(number && !existing && { phone_number: number }),
  });
  await writeNestedRows(tx, ctx, id, phones, planAddresses(addresses, {}));
  const phoneNumbers = phones.rows.map((phone) => phone.number);
  await tx.patient.update({
    where: { tenantId_id: { tenantId: ctx.tenantId, id } },
    data: { phoneNumber: number, searchText: searchText({ ...patient, phoneNumbers }) },
  });
  await queueCustomerUpdate(tx, ctx, id);
  await confirmPatient(tx, ctx, { id, flags: { phoneNumberVerified: verified }, event: 'patient.updated', ...change });
  return { number: patient.phoneNumber, verified: patient.phoneNumberVerified, wasKnown: existing !== undefined };
}
