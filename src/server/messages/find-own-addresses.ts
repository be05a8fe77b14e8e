import type { Context } from '../core/context.ts';

/** Which of these addresses are a patient's or a staff member's of this tenant. In lower case. */
export async function findOwnAddresses(ctx: Context, addresses: string[]): Promise<Set<string>> {
  const { db, tenantId } = ctx;
  const among = { in: [...new Set(addresses.map((address) => address.toLowerCase()))] };
  const [patients, phones, signIns, staff] = await Promise.all([
    db.patient.findMany({ where: { tenantId, email: among }, select: { email: true } }),
    db.patientPhone.findMany({ where: { tenantId, number: among }, select: { number: true } }),
    db.patientSignIn.findMany({ where: { tenantId, phoneNumber: among }, select: { phoneNumber: true } }),
    db.staffUser.findMany({ where: { tenantId, email: among }, select: { email: true } }),
  ]);
  return new Set([
    ...[...patients, ...staff].map(({ email }) => email ?? ''),
    ...phones.map(({ number }) => number),
    ...signIns.map(({ phoneNumber }) => phoneNumber ?? ''),
  ]);
}
