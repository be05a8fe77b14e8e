import { afterAll, beforeAll, expect, test } from 'vitest';
import { isTestAddress, TEST_CODE } from '#contract/test-addresses.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT, register, signInWithPassword } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import type { Context } from '#server/core/context.ts';
import { personKey } from '../person.ts';
import { countSend } from './count-send.ts';
import { issueCode } from './issue-code.ts';

const NUMBER = '+13125550142';
const EMAIL = 'ada@fixed-code.example.test';
const PASSWORD = 'correct horse battery staple';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
});
afterAll(() => bench?.stop());

const byPhone = (path: string, body: object) =>
  bench.post(`/passwordless/${path}`, { client_id: clinic.passwordless, phone_number: NUMBER, ...body });
const byMail = (path: string, body: object) =>
  bench.post(`/credentials/${path}`, { client_id: clinic.credentials, email: EMAIL, attempt: ATTEMPT, ...body });
const complete = (challenge: string, code: string) => bench.post('/passwordless/complete', { challenge, code });
const error = ({ status, body }: TestResponse) => [
  status,
  body.errors.map(({ code, detail }: Record<string, string>) => [code, detail]),
];

test('a test number signs in repeatedly without a wait, with the fixed code', async () => {
  expect((await byPhone('sign_up', { attempt: ATTEMPT })).status).toBe(202);
  for (let round = 0; round < 6; round++) {
    const requested = await byPhone('sign_in', {});
    expect([requested.status, requested.body.resend_after]).toEqual([200, 0]);
    if (round % 2) continue;
    expect((await complete(requested.body.challenge, '424243')).status).toBe(422);
    const completed = await complete(requested.body.challenge, TEST_CODE);
    expect([completed.status, completed.body.user.phone_number]).toEqual([200, NUMBER]);
    expect((await complete(requested.body.challenge, TEST_CODE)).status).toBe(422);
  }
  expect(await bench.codeFor(NUMBER)).toBe(TEST_CODE);
});

test('a test address is confirmed, and its password reset, with the fixed code', async () => {
  expect((await byMail('sign_up', { srp: register(PASSWORD) })).status).toBe(202);
  for (let round = 0; round < 3; round++) expect((await byMail('resend', {})).status).toBe(202);
  expect((await byMail('confirm', { code: TEST_CODE })).status).toBe(204);
  expect((await signInWithPassword(bench, clinic.credentials, EMAIL, PASSWORD)).status).toBe(200);
  for (let round = 0; round < 3; round++) expect((await byMail('reset', {})).status).toBe(202);
  const next = 'another quite long passphrase';
  expect((await byMail('reset/complete', { code: TEST_CODE, srp: register(next) })).status).toBe(204);
  expect((await signInWithPassword(bench, clinic.credentials, EMAIL, next)).status).toBe(200);
});

test('returns the same error for right and wrong codes of a test address without an account', async () => {
  const requested = await byPhone('sign_in', { phone_number: '+13125550199' });
  expect(Object.keys(requested.body)).toEqual(Object.keys((await byPhone('sign_in', {})).body));
  const [right, wrong] = [
    await complete(requested.body.challenge, TEST_CODE),
    await complete(requested.body.challenge, '000000'),
  ];
  expect(error(right)).toEqual(error(wrong));
  const unknown = { email: 'unknown@fixed-code.example.test', srp: register(PASSWORD) };
  for (const [requestPath, usePath] of [
    ['resend', 'confirm'],
    ['reset', 'reset/complete'],
  ] as const) {
    const submitCode = (code: string) => {
      const { srp, ...body } = { ...unknown, code };
      return byMail(usePath, usePath === 'confirm' ? body : { ...body, srp });
    };
    expect((await byMail(requestPath, { email: unknown.email })).status).toBe(202);
    expect(error(await submitCode(TEST_CODE))).toEqual(error(await submitCode('000000')));
  }
});

test('test addresses keep their fixed code after any number of requests of other sources', async () => {
  const phone_number = '+13125550144';
  const { tenantId, db } = clinic.ctx;
  await db.$executeRaw`
    insert into code_sends (id, tenant_id, person, purpose, source, sent_at)
    select gen_random_uuid(), ${tenantId}::uuid, ${personKey(clinic.ctx, phone_number)}, 'sign_in', gen_random_uuid()::text,
      ${bench.clock.now()}::timestamptz
    from generate_series(1, 60)`;
  await byPhone('sign_up', { phone_number, attempt: ATTEMPT });
  const requested = await byPhone('sign_in', { phone_number });
  expect((await complete(requested.body.challenge, TEST_CODE)).status).toBe(200);
});

test('test addresses are ordinary in production: random codes, and waits', async () => {
  const production: Context = { ...clinic.ctx, config: { ...clinic.ctx.config, environment: 'production' } };
  const caller = { ip: '192.0.2.7' };
  for (const address of ['+13125550177', 'bo@fixed-code.example.test']) {
    const requestCode = () =>
      production.db.$transaction(async (tx) => {
        const send = await countSend(tx, production, { address, purpose: 'sign_in', caller, input: {} });
        expect([send.isTest, send.wait]).toEqual([false, 30]);
        const codeRequest = {
          purpose: 'sign_in',
          person: address,
          patientId: null,
          clientId: clinic.passwordless,
        } as const;
        return (await issueCode(tx, production, { ...codeRequest, send })).code;
      });
    expect(await requestCode()).not.toBe(TEST_CODE);
    await expect(requestCode()).rejects.toMatchObject({ code: 'rate_limited' });
  }
});

test('reports a wait of one second in the singular', async () => {
  const requestCode = () => byPhone('sign_in', { phone_number: '+12125550111' });
  expect((await requestCode()).status).toBe(200);
  bench.clock.pass(29_000);
  const { body } = await requestCode();
  expect(body.errors[0].detail).toMatch(/another in 1 second\.$/);
});

test.each([
  ['+13125550100', true],
  ['+13125550199', true],
  ['+13125550200', false],
  ['+131255501001', false],
  ['+12125550100', false],
  ['ada@fixed-code.example.test', true],
  ['ada@fixed-code.example.test.evil.test', false],
  ['ada@not-fixed-code.example.test', false],
  ['fixed-code.example.test', false],
])('%s is a test address: %s', (address, isOne) => expect(isTestAddress(address)).toBe(isOne));
