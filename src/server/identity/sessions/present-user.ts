import type { WireUser } from '#sdk/protocol/endpoints.ts';
import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import { notFound } from '../../core/errors.ts';
import { describeUser } from './describe-user.ts';

/** Reads who is signed in, as apps see it. */
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
