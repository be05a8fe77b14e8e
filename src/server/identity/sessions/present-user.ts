import type { WireUser } from '#sdk/protocol/endpoints.ts';
import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import { notFound } from '../../core/errors.ts';

/** Who is signed in, for apps: how they can be reached and whether they proved it. No health data. */
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
  const { email, emailVerified, phoneNumber, phoneNumberVerified, signIn } = patient;
  return {
    user_id: patientId,
    username: (signIn?.srpIdentity ? email : signIn?.phoneNumber) ?? patientId,
    user_type: 'Patient',
    tenant_id: tenantId,
    email,
    email_verified: emailVerified,
    phone_number: phoneNumber,
    phone_number_verified: phoneNumberVerified,
    groups: [],
  };
}
