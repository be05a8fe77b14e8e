import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { register, signInWithPassword } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { DAY, HOUR, SECOND } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import { registrationColumns } from '../srp/verifier.ts';

const PASSWORD = 'correct horse battery staple';
const registration = register(PASSWORD);
const A = registration.verifier;
const OWN_DEVICE = { 'x-forwarded-for': '203.0.113.9' };

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let count = 0;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  // Waits are returned in whole seconds: a second that passes between two requests would shorten them.
  bench.clock.hold();
});
afterAll(() => bench?.stop());

async function patient(): Promise<string> {
  const { db, tenantId } = clinic.ctx;
  const [id, email] = [newId(), `ada${++count}@example.test`];
  await db.patient.create({ data: { id, tenantId, email, emailVerified: true, canSignIn: true } });
  const signIn = { ...registrationColumns(clinic.ctx, id, registration), confirmedAt: new Date() };
  await db.patientSignIn.create({ data: { tenantId, patientId: id, ...signIn } });
  return email;
}
const from = (ip: string) => ({ 'x-forwarded-for': ip });
const right = (email: string, headers: Record<string, string>) =>
  signInWithPassword(bench, clinic.credentials, email, PASSWORD, headers);
/** A wrong password: any wrong proof is the cheapest attempt. */
async function wrong(email: string, headers: Record<string, string>): Promise<TestResponse> {
  const started = await bench.post('/credentials/srp/start', { client_id: clinic.credentials, email, A }, { headers });
  if (started.status !== 200) return started;
  const { handshake } = started.body;
  return bench.post('/credentials/srp/finish', { handshake, M1: 'ab'.repeat(32) }, { headers });
}

describe.each([
  ['a known account', patient],
  ['an unknown account', async () => `unknown${++count}@example.test`],
])('wrong passwords for %s', (_, emailOf) => {
  test('are free five times, then cost 2^(n−5) seconds, up to 15 minutes', async () => {
    const [email, otherSource] = [await emailOf(), from('198.51.100.7')];
    for (let n = 0; n < 5; n++) expect((await wrong(email, otherSource)).status).toBe(401);
    const waits: number[] = [];
    for (let round = 0; round < 12; round++) {
      const blocked = await wrong(email, otherSource);
      expect([blocked.status, blocked.body.errors[0].code]).toEqual([429, 'rate_limited']);
      const wait = Number(blocked.headers.get('retry-after'));
      waits.push(wait);
      if (wait > 4) {
        bench.clock.pass((wait - 3) * SECOND);
        expect((await wrong(email, otherSource)).status).toBe(429);
      }
      bench.clock.pass(wait * SECOND);
      expect((await wrong(email, otherSource)).status).toBe(401);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  });
});

describe('a wait', () => {
  /** Throttled for eight seconds. */
  async function locked(headers: Record<string, string>): Promise<string> {
    const email = await patient();
    for (let n = 0; n < 5; n++) expect((await wrong(email, headers)).status).toBe(401);
    for (const wait of [1, 2, 4]) {
      bench.clock.pass(wait * SECOND);
      expect((await wrong(email, headers)).status).toBe(401);
    }
    return email;
  }

  test('applies to one account', async () => {
    const otherSource = from('198.51.100.8');
    await locked(otherSource);
    expect((await right(await patient(), otherSource)).status).toBe(200);
  });

  test('does not apply to the owner’s own device, which does not reset it for the attacker', async () => {
    const otherSource = from('198.51.100.9');
    const email = await locked(otherSource);
    expect((await right(email, OWN_DEVICE)).status).toBe(200);
    expect((await wrong(email, otherSource)).status).toBe(429);
  });

  test.each([
    ['the same /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', 429],
    ['another /64', '2001:db8:1:3::1', '2001:db8:1:4::1', 200],
    ['the same IPv4 address, written in IPv6', '198.51.100.10', '::ffff:198.51.100.10', 429],
    ['a neighbour', '198.51.100.11', '198.51.100.12', 200],
    ['an address that the caller only claims', '198.51.100.13', '203.0.113.77, 198.51.100.13', 429],
  ])('is shared by source: %s', async (_, one, another, status) => {
    const email = await locked(from(one));
    expect((await right(email, from(another))).status).toBe(status);
  });

  test('rejects the right password too, and ends on time', async () => {
    const otherSource = from('198.51.100.14');
    const email = await locked(otherSource);
    expect((await right(email, otherSource)).status).toBe(429);
    bench.clock.pass(9 * SECOND);
    expect((await right(email, otherSource)).status).toBe(200);
  });

  test('is reset by the right password, and a day after the last wrong one', async () => {
    const otherSource = from('198.51.100.15');
    const email = await locked(otherSource);
    bench.clock.pass(9 * SECOND);
    await right(email, otherSource);
    for (let n = 0; n < 5; n++) expect((await wrong(email, otherSource)).status).toBe(401);
    expect((await wrong(email, otherSource)).status).toBe(429);
    bench.clock.pass(DAY + HOUR);
    for (let n = 0; n < 5; n++) expect((await wrong(email, otherSource)).status).toBe(401);
  });

  test('also counts wrong old passwords of a signed-in patient', async () => {
    const email = await patient();
    const { body } = await right(email, OWN_DEVICE);
    const change = async () => {
      const request = { client_id: clinic.credentials, email, A };
      const { status, body: started } = await bench.post('/credentials/srp/start', request, { headers: OWN_DEVICE });
      if (status !== 200) return status;
      const proof = { handshake: started.handshake, M1: 'ab'.repeat(32), srp: registration };
      const options = { token: body.access_token, headers: OWN_DEVICE };
      return (await bench.call('PUT', '/identity/user/password', proof, options)).status;
    };
    for (let n = 0; n < 5; n++) expect(await change()).toBe(401);
    expect(await change()).toBe(429);
  });
});
