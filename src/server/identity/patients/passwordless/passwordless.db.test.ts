import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { errorOf, signedIn as signedInPeople } from '#dev/testing/signed-in.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';

const GUESSES = process.env.PROVE ? 200 : 20;

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let people: ReturnType<typeof signedInPeople>;
let nextLine = 200;
const newNumber = () => `+120255501${String(nextLine++ % 100).padStart(2, '0')}`;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  people = signedInPeople(bench, clinic);
});
afterAll(() => bench?.stop());

const client = () => ({ client_id: clinic.passwordless });
const signUp = (phone_number: string, attributes: object = {}) =>
  bench.post('/passwordless/sign_up', { ...client(), phone_number, attempt: ATTEMPT, attributes });
const signIn = (phone_number: string) => bench.post('/passwordless/sign_in', { ...client(), phone_number });
const complete = (challenge: string, code: string, key?: string) =>
  bench.post(
    '/passwordless/complete',
    { challenge, attempt: ATTEMPT, code },
    { ...(key && { headers: { 'idempotency-key': key } }) },
  );
const sessions = () => clinic.ctx.db.patientSession.count();
const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

async function requestCode(number = newNumber()) {
  await signUp(number);
  const { body } = await signIn(number);
  return { number, challenge: body.challenge as string, code: await bench.codeFor(number) };
}
async function signedIn(number?: string): Promise<TestResponse['body']> {
  const { challenge, code } = await requestCode(number);
  return (await complete(challenge, code)).body;
}

describe('sign-in by text message', () => {
  test('signs up, texts a code, signs in, and the token reads its own patient', async () => {
    const number = newNumber();
    const up = await signUp(number, { first_name: 'Ada', last_name: 'Example' });
    expect([up.status, up.body]).toEqual([202, null]);
    const requested = await signIn(`(202) ${number.slice(5, 8)}-${number.slice(8)}`);
    expect(requested.body).toEqual({
      challenge: expect.any(String),
      expires_in: 300,
      resend_after: 30,
      code_sender: '+12025550100',
    });
    const code = await bench.codeFor(number);
    const { status, body } = await complete(requested.body.challenge, code);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      user: {
        user_type: 'Patient',
        username: number,
        phone_number: number,
        phone_number_verified: true,
        email: null,
        tenant_id: clinic.ctx.tenantId,
      },
    });
    const days = (Date.parse(body.refresh_expires_at) - bench.clock.now().getTime()) / 86_400_000;
    expect(days).toBeCloseTo(30, 2);
    const me = await bench.call('GET', '/api/v1/patients/me', undefined, { token: body.access_token });
    expect(me.body).toMatchObject({ id: body.user.user_id, first_name: 'Ada', can_sign_in: true, status: 'active' });
    const events = await clinic.ctx.db.event.findMany({
      where: { patientId: body.user.user_id },
      orderBy: { position: 'asc' },
    });
    expect(events.map((event) => `${event.eventType}.${event.eventTopic}`)).toEqual([
      'patient.signed_up',
      'patient.confirmed',
    ]);
    expect((await bench.call('GET', '/identity/user', undefined, { token: body.access_token })).body).toEqual(
      body.user,
    );
    expect((await bench.call('GET', '/identity/userinfo', undefined, { token: body.access_token })).body).toEqual({
      sub: body.user.user_id,
      phone_number: number,
      phone_number_verified: true,
    });
  });

  test('a patient created by the API cannot sign in by their number', async () => {
    const number = newNumber();
    await clinic.ctx.db.patient.create({
      data: { id: crypto.randomUUID(), tenantId: clinic.ctx.tenantId, phoneNumber: number },
    });
    await signIn(number);
    await bench.settled();
    expect(await bench.messages(number)).toEqual([]);
  });

  test.each([
    ['a wrong code', async () => complete((await requestCode()).challenge, '000000'), 'invalid_code'],
    [
      'a code of another challenge',
      async () => {
        const [one, two] = [await requestCode(), await requestCode()];
        return complete(one.challenge, two.code === one.code ? other(two.code) : two.code);
      },
      'invalid_code',
    ],
    [
      'a used code',
      async () => {
        const { challenge, code } = await requestCode();
        await complete(challenge, code);
        return complete(challenge, code);
      },
      'invalid_code',
    ],
    ['an invalid challenge', () => complete('nonsense', '123456'), 'invalid_code'],
    [
      'an expired code',
      async () => {
        const { challenge, code } = await requestCode();
        bench.clock.pass(5 * MINUTE);
        return complete(challenge, code);
      },
      'expired_code',
    ],
    [
      'the right code after five wrong ones',
      async () => {
        const { challenge, code } = await requestCode();
        for (let n = 0; n < 5; n++) await complete(challenge, other(code));
        return complete(challenge, code);
      },
      'too_many_tries',
    ],
    ['five digits', () => complete('a.b', '12345'), 'invalid_parameter'],
    ['eight digits', () => complete('a.b', '12345678'), 'invalid_parameter'],
  ] as [string, () => Promise<TestResponse>, string][])('rejects %s', async (_, run, code) => {
    const before = await sessions();
    expect(errorOf(await run())).toEqual([422, code]);
    expect(await sessions()).toBeLessThanOrEqual(before + 1);
  });

  test('a later code, which any client may request, does not end the previous one', async () => {
    const { number, challenge, code } = await requestCode();
    bench.clock.pass(31 * SECOND);
    const later = await signIn(number);
    const next = await bench.codeFor(number);
    if (next !== code) expect(errorOf(await complete(later.body.challenge, code))).toEqual([422, 'invalid_code']);
    expect((await complete(challenge, code)).status).toBe(200);
    expect((await complete(later.body.challenge, next)).status).toBe(200);
  });

  test.each([
    ['+18765550123', 'phone_number_not_supported'],
    ['+17875550123', 'phone_number_not_supported'],
    ['+14165550123', 'phone_number_not_supported'],
    ['+442079460018', 'phone_number_not_supported'],
    ['+19005550123', 'phone_number_not_supported'],
    ['+18885550123', 'phone_number_not_supported'],
    ['12', 'invalid_parameter'],
  ])('does not text %s', async (number, code) => {
    expect(errorOf(await signIn(number))).toEqual([422, code]);
    expect(errorOf(await signUp(number))).toEqual([422, code]);
  });

  test('rejects an unknown client and one of the other flow', async () => {
    for (const client_id of [crypto.randomUUID(), 'unknown', clinic.credentials])
      expect(errorOf(await bench.post('/passwordless/sign_in', { client_id, phone_number: newNumber() }))).toEqual([
        401,
        'invalid_client',
      ]);
  });

  test(`${GUESSES} concurrent guesses count as ${GUESSES} attempts`, async () => {
    const { challenge, code } = await requestCode();
    const responses = await Promise.all(Array.from({ length: GUESSES }, () => complete(challenge, other(code))));
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([422]));
    const row = await clinic.ctx.db.oneTimeCode.findFirstOrThrow({ orderBy: { tries: 'desc' } });
    expect(row.tries).toBe(GUESSES);
    expect(errorOf(await complete(challenge, code))).toEqual([422, 'too_many_tries']);
  });

  test('two concurrent right codes start one session, which a repeated request gets again', async () => {
    const { challenge, code } = await requestCode();
    const before = await sessions();
    const responses = await Promise.all([complete(challenge, code), complete(challenge, code)]);
    expect(responses.map((response) => response.status).sort()).toEqual([200, 422]);
    expect(await sessions()).toBe(before + 1);
    const second = await requestCode();
    const pair = await Promise.all([
      complete(second.challenge, second.code, 'k1'),
      complete(second.challenge, second.code, 'k1'),
    ]);
    expect(pair.map((response) => response.status)).toEqual([200, 200]);
    expect(pair[0].body.refresh_token).toBe(pair[1].body.refresh_token);
    expect(errorOf(await complete(second.challenge, second.code, 'k2'))).toEqual([422, 'invalid_code']);
    expect(await sessions()).toBe(before + 2);
  });

  test.each([
    ['on a known device 30 seconds, then a minute each time', true, [30, 60, 60, 60]],
    ['elsewhere 30 seconds, then twice as long each time', false, [30, 60, 120, 240]],
  ])('the next code has to wait: %s', async (_, isKnown, waits) => {
    const number = newNumber();
    const device = isKnown ? (await signedIn(number)).device : undefined;
    if (!isKnown) await signUp(number);
    const sendRequest = () => bench.post('/passwordless/sign_in', { ...client(), phone_number: number, device });
    for (const wait of waits) {
      const { resend_after } = (await sendRequest()).body;
      expect(Math.abs(resend_after - wait)).toBeLessThanOrEqual(1);
      const tooSoon = await sendRequest();
      expect(errorOf(tooSoon)).toEqual([429, 'rate_limited']);
      expect(Number(tooSoon.headers.get('retry-after'))).toBeLessThanOrEqual(resend_after);
      bench.clock.pass(resend_after * SECOND);
    }
  });

  test('a used code ends the wait', async () => {
    const { number, challenge, code } = await requestCode();
    expect(errorOf(await signIn(number))).toEqual([429, 'rate_limited']);
    expect((await complete(challenge, code)).status).toBe(200);
    expect((await signIn(number)).body.resend_after).toBe(30);
    expect(errorOf(await signIn(number))).toEqual([429, 'rate_limited']);
  });

  test('the right code, even when expired, ends the wait for the next one', async () => {
    const { number, challenge, code } = await requestCode();
    bench.clock.pass(31 * SECOND);
    await signIn(number);
    bench.clock.pass(6 * MINUTE);
    expect((await signIn(number)).status).toBe(200);
    expect(errorOf(await complete(challenge, other(code)))).toEqual([422, 'expired_code']);
    expect(errorOf(await signIn(number))).toEqual([429, 'rate_limited']);
    expect(errorOf(await complete(challenge, code))).toEqual([422, 'expired_code']);
    expect((await signIn(number)).status).toBe(200);
  });
});

describe('a session', () => {
  test('ten concurrent refreshes get the same successor', async () => {
    const tokens = await people.byPhone();
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => bench.refresh(clinic.passwordless, tokens.refresh_token)),
    );
    expect(responses.map((response) => response.status)).toEqual(Array(10).fill(200));
    expect(new Set(responses.map((response) => response.body.refresh_token)).size).toBe(1);
    expect(responses[0]?.body.refresh_token).not.toBe(tokens.refresh_token);
    expect(responses[0]?.body.refresh_expires_at).toBe(tokens.refresh_expires_at);
  });

  test.each([
    ['the grandparent at once', 2, 0, 0],
    ['the parent after half a minute', 1, 0, 31 * SECOND],
    ['the first of five', 5, 0, 0],
  ])('ends when a copy of %s is used', async (_, rounds, which, pause) => {
    const chain: TestResponse['body'][] = [await people.byPhone()];
    for (let n = 0; n < rounds; n++)
      chain.push((await bench.refresh(clinic.passwordless, chain.at(-1).refresh_token)).body);
    bench.clock.pass(pause);
    const replay = await bench.refresh(clinic.passwordless, chain[which].refresh_token);
    expect([replay.status, replay.body.error]).toEqual([400, 'invalid_grant']);
    expect((await bench.refresh(clinic.passwordless, chain.at(-1).refresh_token)).body.error).toBe('invalid_grant');
    const dead = await bench.call('GET', '/api/v1/patients/me', undefined, { token: chain.at(-1).access_token });
    expect(dead.status).toBe(401);
  });

  test('is not extended by refreshing', async () => {
    let tokens: TestResponse['body'] = await people.byPhone();
    bench.clock.pass(29 * 24 * 60 * MINUTE);
    tokens = (await bench.refresh(clinic.passwordless, tokens.refresh_token)).body;
    bench.clock.pass(25 * 60 * MINUTE);
    expect((await bench.refresh(clinic.passwordless, tokens.refresh_token)).body.error).toBe('invalid_grant');
  });

  test.each([
    [
      'by signing out',
      (tokens: TestResponse['body']) => bench.post('/user/sign_out', {}, { token: tokens.access_token }),
    ],
    ['by its refresh token', (tokens: TestResponse['body']) => revoke(tokens.refresh_token)],
    ['by its access token', (tokens: TestResponse['body']) => revoke(tokens.access_token)],
  ])('can be ended %s, without affecting others', async (_, end) => {
    const number = newNumber();
    const session = await signedIn(number);
    bench.clock.pass(MINUTE);
    const other = await signedIn(number);
    expect((await end(session)).status).toBeLessThan(300);
    expect((await bench.refresh(clinic.passwordless, session.refresh_token)).body.error).toBe('invalid_grant');
    expect((await bench.call('GET', '/identity/user', undefined, { token: session.access_token })).status).toBe(401);
    expect((await bench.call('GET', '/identity/user', undefined, { token: other.access_token })).status).toBe(200);
  });

  const revoke = (token: string, client_id = clinic.passwordless) =>
    bench.call('POST', '/identity/oauth2/revoke', undefined, { form: { token, client_id } });

  test('cannot be refreshed or revoked by another app; revoking an unknown token is no error', async () => {
    const tokens = await people.byPhone();
    expect((await bench.refresh(clinic.credentials, tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect((await revoke(tokens.refresh_token, clinic.credentials)).status).toBe(200);
    expect((await revoke('nothing')).status).toBe(200);
    expect((await revoke('x', crypto.randomUUID())).body.error).toBe('invalid_client');
    expect((await bench.refresh(clinic.passwordless, tokens.refresh_token)).status).toBe(200);
  });
});
