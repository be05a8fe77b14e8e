import type { Context } from '#server/core/context.ts';
import { getUser } from './get-user.ts';

/** The same in the names of OpenID Connect Core §5.1. */
export async function getUserinfo(ctx: Context) {
  const { user_id, email, email_verified, phone_number, phone_number_verified } = await getUser(ctx);
  return {
    sub: user_id,
    ...(email !== null && { email, email_verified }),
    ...(phone_number !== null && { phone_number, phone_number_verified }),
  };
}
