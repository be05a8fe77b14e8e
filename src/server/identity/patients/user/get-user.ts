import type { WireUser } from '#sdk/protocol/endpoints.ts';
import type { Context } from '#server/core/context.ts';
import { recordImpersonated } from '#server/core/record-impersonated.ts';
import { presentUser } from '../../sessions/present-user.ts';
import { requirePatient } from './require-patient.ts';

/** The signed-in (or impersonated) patient, as the apps show it. */
export async function getUser(ctx: Context): Promise<WireUser> {
  const { patientId } = requirePatient(ctx);
  await recordImpersonated(ctx, 'users.get');
  return presentUser(ctx.db, ctx, patientId);
}

/** The same in the names of OpenID Connect Core §5.1. */
export async function getUserinfo(ctx: Context) {
  const { user_id, email, email_verified, phone_number, phone_number_verified } = await getUser(ctx);
  return {
    sub: user_id,
    ...(email !== null && { email, email_verified }),
    ...(phone_number !== null && { phone_number, phone_number_verified }),
  };
}
