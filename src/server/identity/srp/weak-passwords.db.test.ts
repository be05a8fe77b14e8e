import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asAdmin, asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT, prove, type Registration, register, signInWithPassword } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { MINUTE } from '../../core/clock.ts';
import { assertRateLimit } from '../../core/rate-limiter.ts';
import { invitePatient } from '../patients/invitation/invite-patient.ts';
import { setInvites } from '../patients/invitation/set-invites.ts';

const PASSWORD = 'correct horse battery staple';
const NEXT = 'another quite long passphrase';
const WEAK: [string, (email: string) => string][] = [
  ['none at all', () => ''],
  ['the email address', (email) => email],
  ['its name', (email) => email.split('@')[0]!],
  ['one of the commonest', () => '123456'],
  ['another of the commonest', () => 'password'],
];

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let people = 0;
beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  await setInvites(asAdmin(bench.services, { id: clinic.ctx.tenantId }), { enabled: true });
});
afterAll(() => bench?.stop());
// The registration limit applies per source and minute.
beforeEach(() => bench.clock.pass(MINUTE));

/** Registers as a client without password rules; `identity` belongs to an existing account. */
type Way = { email: string; identity?: string; temporary?: string; register(srp: Registration): Promise<TestResponse> };

const post = (path: string, body: object) =>
  bench.post(`/credentials${path}`, { client_id: clinic.credentials, attempt: ATTEMPT, ...body });
const newEmail = () => `maple${++people}@example.test`;
async function confirmed(): Promise<{ email: string; identity: string }> {
  const email = newEmail();
  const srp = register(PASSWORD);
  await post('/sign_up', { email, srp });
  await post('/confirm', { email, code: await bench.codeFor(email) });
  return { email, identity: srp.identity };
}

const WAYS: Record<string, () => Promise<Way>> = {
  async 'signing up'() {
    const email = newEmail();
    return { email, register: (srp) => post('/sign_up', { email, srp }) };
  },
  async 'a reset'() {
    const { email } = await confirmed();
    await post('/reset', { email });
    const code = await bench.codeFor(email);
    return { email, register: (srp) => post('/reset/complete', { email, code, srp }) };
  },
  async 'an invitation'() {
    const email = newEmail();
    await invitePatient(asPractitioner(bench.services, { id: clinic.ctx.tenantId }), { email });
    await bench.settled();
    const [mail] = await bench.messages(email);
    const temporary = /\b[a-z2-9]{4}(?:-[a-z2-9]{4}){3}\b/.exec(mail!.text)![0];
    const proof = await prove(bench, clinic.credentials, email, temporary);
    const { continuation } = (await bench.post('/credentials/srp/finish', proof.body)).body;
    const { identity } = proof.started.body;
    const complete = (srp: Registration) => bench.post('/credentials/complete_invitation', { continuation, srp });
    return { email, identity, temporary, register: complete };
  },
  async 'a change of the password'() {
    const { email, identity } = await confirmed();
    const { body } = await signInWithPassword(bench, clinic.credentials, email, PASSWORD);
    return {
      email,
      identity,
      async register(srp) {
        const proof = await prove(bench, clinic.credentials, email, PASSWORD);
        return bench.call('PUT', '/identity/user/password', { ...proof.body, srp }, { token: body.access_token });
      },
    };
  },
};

describe.each(Object.entries(WAYS))('by %s', (how, begin) => {
  test('rejects each of the most likely passwords and accepts a good one', async () => {
    const way = await begin();
    const weak = way.temporary ? [...WEAK, ['the temporary one', () => way.temporary!] as (typeof WEAK)[number]] : WEAK;
    // A mailed code allows five attempts.
    for (const [what, of] of how === 'a reset' ? weak.slice(1) : weak) {
      const { status, body } = await way.register(register(of(way.email), way.identity));
      expect([what, status, body.errors[0].code, body.errors[0].source]).toEqual([
        what,
        422,
        'invalid_parameter',
        { pointer: '/srp/verifier' },
      ]);
      expect(body.errors[0].detail).toMatch(/^Choose another password/);
      bench.clock.pass(1000);
    }
    expect((await way.register(register(NEXT, way.identity))).status).toBeLessThan(300);
  });
});

test('rejects a registration whose scrypt parameters would overload the service', async () => {
  const srp = { ...register(PASSWORD), kdf: { name: 'scrypt', N: 2 ** 18, r: 8, p: 1, length: 32 } };
  const { status, body } = await post('/sign_up', { email: newEmail(), srp });
  expect([status, body.errors[0].source]).toEqual([422, { pointer: '/srp/kdf' }]);
});

test('allows twenty registrations per source and minute', async () => {
  bench.clock.pass(MINUTE - (bench.clock.now().getTime() % MINUTE));
  const key = [clinic.ctx.tenantId, '127.0.0.1', 'newcomers'];
  for (let n = 0; n < 19; n++) assertRateLimit(bench.services, { name: 'new_passwords', key });
  const srp = register(PASSWORD);
  const responses = [
    await post('/sign_up', { email: newEmail(), srp }),
    await post('/sign_up', { email: newEmail(), srp }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([202, 429]);
  expect(Number(responses[1]!.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('registrations by unauthenticated clients neither delay a caller with a code nor use up its attempts', async () => {
  const { email } = await confirmed();
  const newcomers = Array.from({ length: 45 }, (_, n) => ({
    address: { headers: { 'x-forwarded-for': `198.18.${n >> 2}.1` } },
    body: { client_id: clinic.credentials, attempt: ATTEMPT, email: newEmail() },
  }));
  await post('/reset', { email });
  const code = await bench.codeFor(email);
  const srp = register('a password of an attacker');
  const flood = newcomers.map(({ address, body }) => bench.post('/credentials/sign_up', { ...body, srp }, address));
  // Requests that find the queue full get their response at once.
  expect((await Promise.race(flood)).status).toBe(503);
  expect((await post('/reset/complete', { email, code, srp: register(NEXT) })).status).toBe(204);
  await Promise.all(flood);
}, 120_000);
