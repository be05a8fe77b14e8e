import type { WireUser } from '#sdk/protocol/endpoints.ts';
import type { Context } from '#server/core/context.ts';
import { recordAccess } from '#server/core/record-access.ts';
import { presentUser } from '../../sessions/present-user.ts';
import { requirePatient } from './authorize.ts';

/** Returns the signed-in (or impersonated) patient in the shape that apps see. */
export async function getUser(ctx: Context): Promise<WireUser> {
  const { patientId } = requirePatient(ctx);
  const user = await presentUser(ctx.db, ctx, patientId);
  await recordAccess(ctx, { action: 'users.get', object: { type: 'Patient', id: patientId }, patients: [patientId] });
  return user;
}

/** The same with the claims of OpenID Connect Core §5.1. */
export async function getUserinfo(ctx: Context) {
  const { user_id, email, email_verified, phone_number, phone_number_verified } = await getUser(ctx);
  return {
    sub: user_id,
    ...(email !== null && { email, email_verified }),
    ...(phone_number !== null && { phone_number, phone_number_verified }),
  };
}
