import type { WireUser } from '#sdk/protocol/endpoints.ts';
import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import { notFound } from '../../core/errors.ts';

/** Reads the signed-in patient in the shape that apps see. */
export async function presentUser(
  db: Pick<Tx, 'patient'>,
  { tenantId }: Pick<Context, 'tenantId'>,
  patientId: string,
): Promise<WireUser> {
  const patient = await db.patient.findUnique({
    where: { tenantId_id: { tenantId, id: patientId } },
    select: { email: true, emailVerified: true, phoneNumber: true, phoneNumberVerified: true, signIn: true },
  });
  if (!patient) throw notFound('patient');
  const { signIn, ...columns } = patient;
  const { srpIdentity = null, phoneNumber: signInPhone = null } = signIn ?? {};
  return describeUser(tenantId, patientId, { ...columns, srpIdentity, signInPhone });
}

export type UserColumns = {
  email: string | null;
  emailVerified: boolean;
  phoneNumber: string | null;
  phoneNumberVerified: boolean;
  srpIdentity: string | null;
  /** The number that the patient signs in with. */
  signInPhone: string | null;
};

/** Describes the signed-in patient for apps: contact data and whether each address is verified. No health data. */
export const describeUser = (tenantId: string, patientId: string, columns: UserColumns): WireUser => ({
  user_id: patientId,
  username: (columns.srpIdentity ? columns.email : columns.signInPhone) ?? patientId,
  user_type: 'Patient',
  tenant_id: tenantId,
  email: columns.email,
  email_verified: columns.emailVerified,
  phone_number: columns.phoneNumber,
  phone_number_verified: columns.phoneNumberVerified,
  has_password: columns.srpIdentity !== null,
  groups: [],
});
