import { inServedDatabase } from './served-database.ts';

/** Marks the invitation as expired in the served database, because seven days cannot pass in a test. */
export async function expireInvitation(email: string): Promise<void> {
  const rows = await inServedDatabase(
    `update patient_sign_ins set temporary_until = now() - interval '1 minute'
     where patient_id = (select id from patients where email = $1)`,
    [email],
  );
  if (rows !== 1) throw new Error(`no patient with the address ${email} is invited`);
}
