import { inServedDatabase } from './served-database.ts';

/** Seven days cannot pass in a browser: the row of the copy that is served says that they have. */
export async function letInvitationExpire(email: string): Promise<void> {
  const rows = await inServedDatabase(
    `update patient_sign_ins set temporary_until = now() - interval '1 minute'
     where patient_id = (select id from patients where email = $1)`,
    [email],
  );
  if (rows !== 1) throw new Error(`nobody with the address ${email} is invited`);
}
