import { Writable } from 'node:stream';
import pg from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTables } from '#testing/catalogue.ts';
import { prove, register, signInWithPassword } from '#testing/password-client.ts';
import { type SignInBench, startSignInBench } from '#testing/patient-sign-in.ts';
import { sendMessage } from '../messages/send-message.ts';

const PASSWORD = 'canary correct horse battery';
const NEXT = 'canary another quite long one';
const EMAIL = 'canary@example.test';
const PHONE = '+12025550142';

let bench: SignInBench;
let owner: pg.Client;
const log: string[] = [];

beforeAll(async () => {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log.push(String(chunk));
      done();
    },
  });
  bench = await startSignInBench({ log: pino({ level: 'debug' }, stream) });
  owner = new pg.Client({ connectionString: bench.database.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner?.end();
  await bench?.stop();
});

/** Every row of every table as text; encrypted columns as the hex of their bytes. */
async function dump(): Promise<string> {
  const tables = await readTables(owner, ['graphile_worker']);
  const lines: string[] = [];
  for (const { name } of tables) {
    const { rows } = await owner.query<{ row: string }>(`select t::text as row from "${name}" t`);
    lines.push(...rows.map(({ row }) => row));
  }
  return lines.join('\n');
}

/** A secret as it may lie somewhere: as it is, or as the hex or base64 of its bytes. */
const spellings = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
];
/** Six digits also occur by chance, inside ids. */
const finds = (text: string, spelling: string) =>
  new RegExp(`(?<![0-9a-f])${spelling.replace(/[^\w]/g, '\\$&')}(?![0-9a-f])`, 'i').test(text);

test('no secret of any flow lies in a table or a log line', async () => {
  const clinic = await bench.tenant();
  const secrets: Record<string, string> = {};
  const dumps: string[] = [];
  const client_id = clinic.credentials;
  const first = register(PASSWORD);
  secrets.password = PASSWORD;
  secrets['first verifier'] = first.verifier;

  await bench.post('/credentials/sign_up', { client_id, email: EMAIL, srp: first });
  secrets['confirmation code'] = await bench.codeFor(EMAIL);
  dumps.push(await dump());
  await bench.post('/credentials/confirm', { client_id, email: EMAIL, code: secrets['confirmation code'] });

  const half = await prove(bench, client_id, EMAIL, PASSWORD);
  secrets.handshake = half.started.body.handshake;
  secrets.proof = half.body.M1;
  dumps.push(await dump());
  const session = (await signInWithPassword(bench, client_id, EMAIL, PASSWORD)).body;
  secrets['access token'] = session.access_token;
  secrets['refresh token'] = session.refresh_token;
  const refreshed = await bench.refresh(client_id, session.refresh_token);
  secrets['second refresh token'] = refreshed.body.refresh_token;

  bench.clock.pass(10 * 60_000);
  await bench.post('/credentials/reset', { client_id, email: EMAIL });
  secrets['reset code'] = await bench.codeFor(EMAIL);
  const second = register(NEXT);
  secrets['second verifier'] = second.verifier;
  dumps.push(await dump());
  await bench.post('/credentials/reset/complete', {
    client_id,
    email: EMAIL,
    code: secrets['reset code'],
    srp: second,
  });

  const phone = { client_id: clinic.passwordless, phone_number: PHONE };
  await bench.post('/passwordless/sign_up', phone);
  secrets.challenge = (await bench.post('/passwordless/sign_in', phone)).body.challenge;
  secrets['sign-in code'] = await bench.codeFor(PHONE);
  await bench.post('/passwordless/complete', { challenge: secrets.challenge, code: '12345x' });
  dumps.push(await dump());

  const queued = await clinic.ctx.db.$transaction(async (tx) => {
    await sendMessage(tx, clinic.ctx, {
      kind: 'sign_in_code',
      to: PHONE,
      code: '271828',
      until: '2999-01-01T00:00:00Z',
    });
    return tx.$queryRaw<{ payload: unknown }[]>`select payload::text from graphile_worker._private_jobs`;
  });
  expect(queued.length).toBeGreaterThan(0);
  expect(JSON.stringify(queued)).not.toMatch(/271828|\+1202/);

  dumps.push(await dump(), log.join('\n'));
  const found = Object.entries(secrets).filter(([, secret]) =>
    spellings(secret).some((spelling) => dumps.some((text) => finds(text, spelling))),
  );
  expect(found.map(([name]) => name)).toEqual([]);
  expect(finds(dumps[0]!, EMAIL)).toBe(true);
});

test('a message that cannot be sent fails in the log, without what it says', async () => {
  const clinic = await bench.tenant();
  bench.services.config.twilio = null;
  const before = log.length;
  const client = { client_id: clinic.passwordless, phone_number: '+12025550143' };
  await bench.post('/passwordless/sign_up', client);
  await bench.post('/passwordless/sign_in', client);
  for (let round = 0; round < 200 && log.length === before; round++)
    await new Promise((resolve) => setTimeout(resolve, 25));
  const lines = log.slice(before).join('\n');
  expect(lines).toContain('message not sent');
  expect(lines).toContain('TWILIO_ACCOUNT_SID');
  expect(lines).not.toMatch(/\+1202|sign-in code for/);
});
