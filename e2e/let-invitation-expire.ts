import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';

/** Seven days cannot pass in a browser: the row of the copy that is served says that they have. */
export async function letInvitationExpire(email: string): Promise<void> {
  const folder = path.dirname(process.env.CARELANE_CARD ?? '.run/card.json');
  const read = (name: string) => JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
  const client = new pg.Client({
    host: '127.0.0.1',
    port: read('ports.json').postgres,
    user: 'postgres',
    password: read('secrets.json').ownerPassword,
    database: 'carelane',
  });
  await client.connect();
  const { rowCount } = await client.query(
    `update patient_sign_ins set temporary_until = now() - interval '1 minute'
     where patient_id = (select id from patients where email = $1)`,
    [email],
  );
  await client.end();
  if (rowCount !== 1) throw new Error(`nobody with the address ${email} is invited`);
}
