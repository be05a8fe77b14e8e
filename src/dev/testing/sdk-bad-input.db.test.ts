import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { UpdatePatientInput } from '#contract/patients.ts';
import { credentials } from '#sdk/credentials.ts';
import { AuthError } from '#sdk/errors.ts';
import { passwordless } from '#sdk/passwordless.ts';
import type { PatientAttributes } from '#sdk/protocol/patient-attributes.ts';
import { user } from '#sdk/user.ts';
import { memoryStorage } from '#sdk/vault.ts';
import { DAY, HOUR, MINUTE } from '#server/core/clock.ts';
import { getConfigurationTokens } from '#server/identity/applications/get-configuration-tokens.ts';
import { withClinic } from './clinic.ts';
import { ATTEMPT } from './password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from './patient-sign-in.ts';

const PASSWORD = 'seven quiet rivers';
const NEXT = 'eight louder rivers';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let tokens: Awaited<ReturnType<typeof getConfigurationTokens>>;
/** The offset of the device's clock from the service's, in ms. */
let wrongBy = 0;
let count = 0;
const newEmail = () => `ada${++count}@example.test`;
const newNumber = () => `+1202555${String(1000 + ++count)}`;
const now = () => bench.clock.now().getTime() + wrongBy;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  tokens = await getConfigurationTokens(clinic.ctx);
});
afterAll(() => bench?.stop());
beforeEach(() => {
  wrongBy = 0;
  const options = { storage: memoryStorage(), now };
  passwordless.configure(tokens.passwordless, options);
  credentials.configure(tokens.credentials, options);
});

const me = async () =>
  (await bench.call('GET', '/api/v1/patients/me', undefined, { token: await user.getAccessToken() })).body;
const rows = async () => [await clinic.ctx.db.patient.count(), await clinic.ctx.db.patientSession.count()];
const rejection = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error) => error,
  );

async function signInByPhone(number = newNumber(), attributes: PatientAttributes = {}): Promise<string> {
  await passwordless.signUp(number, attributes);
  await passwordless.completeSignIn(await passwordless.signIn(number), await bench.codeFor(number));
  return number;
}
async function signInByEmail(email = newEmail(), attributes: PatientAttributes = {}): Promise<string> {
  await credentials.signUp(email, PASSWORD, attributes);
  await credentials.confirmSignUp(email, await bench.codeFor(email));
  await credentials.signIn(email, PASSWORD);
  return email;
}

describe('sign-up attributes match PATCH /patients/{id}', () => {
  const EVERYTHING: PatientAttributes = {
    first_name: 'Ada',
    middle_name: 'Q',
    last_name: 'Example',
    birth_date: '1990-02-28',
    administrative_gender: 'female',
    gender_identity: 'non_binary',
    races: ['Asian', { level_2_display: 'White', level_3_display: 'Irish' }],
    ethnicities: [{ level_2_display: 'Not Hispanic or Latino', level_3_display: null }],
    addresses_attributes: [
      { line1: '12 Example Street', city: 'Springfield', state: 'IL', zip: '62701', country: 'US', label: 'home' },
      { line1: '13 Example Street', active: false },
    ],
    phones_attributes: [{ number: '(310) 555-0123', label: 'work', primary: false }],
    tag_list: ['newsletter'],
    metadata: { plan: { level: 2 }, notes: ['a', 'b'] },
    time_zone: 'America/Chicago',
    language: 'es-MX',
  };
  const shown = ({ phones, addresses, ...patient }: Awaited<ReturnType<typeof me>>) => ({
    ...patient,
    phones: phones.map(({ id, ...phone }: { id: string }) => phone),
    addresses: addresses.map(({ id, ...address }: { id: string }) => address),
  });

  test('include every field except those that only a clinic sets', () => {
    const clinics = ['id', 'external_id', 'email'];
    const patchable = Object.keys(UpdatePatientInput.shape).filter((name) => !clinics.includes(name));
    expect(Object.keys(EVERYTHING).sort()).toEqual(patchable.sort());
  });

  test.each([
    ['by text message', signInByPhone, newNumber],
    ['by email', signInByEmail, newEmail],
  ])('signing up %s gives the same record as a later update', async (_, signIn, address) => {
    await signIn(address(), EVERYTHING);
    const atOnce = shown(await me());
    await user.signOut();
    await signIn(address());
    const { id } = await me();
    const token = await user.getAccessToken();
    expect((await bench.call('PATCH', `/api/v1/patients/${id}`, EVERYTHING, { token })).status).toBe(200);
    const afterwards = shown(await me());
    const own = ['id', 'email', 'phone_number', 'created_at', 'updated_at', 'phones'];
    const rest = (record: object) => Object.fromEntries(Object.entries(record).filter(([key]) => !own.includes(key)));
    expect(rest(atOnce)).toEqual(rest(afterwards));
    expect(atOnce.phones.map(({ label }: { label: string }) => label)).toContain('work');
    const races = [{ level_2_display: 'Asian', level_3_display: null }, EVERYTHING.races![1]];
    expect(atOnce).toMatchObject({ metadata: EVERYTHING.metadata, races, tag_list: ['newsletter'] });
  });

  test.each([
    ['an unknown one', { shoe_size: 42 }, 'InvalidInputError', 'unknown_parameter'],
    ['a wrong one', { birth_date: '1990-02-30' }, 'InvalidInputError', 'invalid_parameter'],
    ['a birth to come', { birth_date: '2990-01-01' }, 'InvalidInputError', 'invalid_parameter'],
    ['a metadata of 17 KiB', { metadata: { text: 'x'.repeat(17 * 1024) } }, 'InvalidInputError', 'invalid_parameter'],
    ['an id of the clinic’s own', { external_id: 'mrn-1' }, 'NotAllowedError', 'forbidden'],
    ['an email', { email: 'mallory@example.test' }, 'InvalidInputError', 'unknown_parameter'],
  ] as [string, PatientAttributes, string, string][])('%s is rejected', async (_, attributes, name, code) => {
    const before = await rows();
    for (const signUp of [
      () => passwordless.signUp(newNumber(), attributes),
      () => credentials.signUp(newEmail(), PASSWORD, attributes),
    ])
      expect(await rejection(signUp())).toMatchObject({ name, code, retryable: false });
    expect(await rows()).toEqual(before);
  });
});

describe('a configuration token', () => {
  const edited = (token: string, changes: object) => {
    const [, env, encoded] = /^care_([a-z]+)_(.*)$/.exec(token)!;
    const content = { ...JSON.parse(Buffer.from(encoded!, 'base64url').toString()), ...changes };
    return `care_${content.env ?? env}_${Buffer.from(JSON.stringify(content)).toString('base64url')}`;
  };

  test('that is truncated anywhere is rejected', () => {
    for (let length = 0; length < tokens.passwordless.length; length++)
      try {
        passwordless.configure(tokens.passwordless.slice(0, length));
        throw new Error(`taken at ${length} characters`);
      } catch (error) {
        expect(error).toMatchObject({ name: 'ConfigurationError' });
        expect((error as AuthError).code).toMatch(/^(malformed|truncated)_configuration$/);
      }
  });

  test('of the other flow or environment is rejected with the reason', () => {
    const configure = (token: string, environment?: 'production') => () =>
      passwordless.configure(token, { ...(environment && { environment }) });
    expect(configure(tokens.credentials)).toThrow(/is for credentials, not passwordless/);
    expect(configure(tokens.passwordless, 'production')).toThrow(/of the environment sandbox, not production/);
    expect(configure(tokens.passwordless.replace('care_sandbox', 'care_production'))).toThrow(/environment/);
  });

  test('of another deployment is rejected by the service with its environment', async () => {
    passwordless.configure(edited(tokens.passwordless, { client_id: crypto.randomUUID() }), {
      storage: memoryStorage(),
    });
    for (const work of [passwordless.signUp, passwordless.signIn]) {
      const error = await rejection(work(newNumber()));
      expect(error).toMatchObject({ name: 'ConfigurationError', code: 'invalid_client', retryable: false });
      expect(error.message).toContain('sandbox');
    }
  });
});

describe('a phone number', () => {
  test.each([
    '2025550123',
    '202 555 0123',
    '(202) 555-0123',
    '202.555.0123',
    '1-202-555-0123',
    '+1 (202) 555‑0123',
    '1 (202) 555 0123',
    'tel:+1-202-555-0123',
    '２０２－５５５－０１２３',
    ' +12025550123 ',
  ])('of the United States is accepted as %s', async (spelling) => {
    bench.clock.pass(25 * HOUR);
    expect((await passwordless.signIn(spelling)).phoneNumber).toBe('+12025550123');
  });

  const ABROAD = '242 246 264 268 284 345 441 473 649 658 664 721 758 767 784 809 829 849 868 869 876'.split(' ');
  test.each([
    ...ABROAD.map((area) => [`the plan's area ${area}`, area, '5550123']),
    ['premium', '900', '5550123'],
    ['Canada', '416', '5550123'],
    ['Puerto Rico', '787', '5550123'],
    ['toll-free', '888', '5550123'],
    ['toll-free', '800', '5550123'],
  ])('%s, in any format, is rejected by the SDK or the service, and nothing is sent', async (_, area, rest) => {
    const number = `${area}${rest}`;
    const spelled = [
      number,
      `1${number}`,
      `+1${number}`,
      `+1 (${area}) ${rest!.slice(0, 3)}-${rest!.slice(3)}`,
      `${area}.${rest!.slice(0, 3)}.${rest!.slice(3)}`,
      `tel:+1-${area}-${rest}`,
    ];
    const before = await rows();
    for (const spelling of spelled) {
      for (const work of [passwordless.signIn, passwordless.signUp])
        expect(await rejection(work(spelling))).toMatchObject({ code: 'phone_number_not_supported', retryable: false });
      const raw = { client_id: clinic.passwordless, phone_number: spelling };
      for (const [path, more] of [['sign_in', {}] as const, ['sign_up', { attempt: ATTEMPT }] as const]) {
        const { status, body } = await bench.post(`/passwordless/${path}`, { ...raw, ...more });
        expect([spelling, status, body.errors[0].code]).toEqual([spelling, 422, 'phone_number_not_supported']);
      }
    }
    await bench.settled();
    expect(await bench.messages(`+1${number}`)).toEqual([]);
    expect(await rows()).toEqual(before);
  });

  test.each([
    '+44 20 7946 0018',
    '011 44 20 7946 0018',
    '+52 55 1234 5678',
    '555-0123',
    '123',
    'ada',
    '',
    '+1202555012',
  ])('%s is rejected', async (spelling) => {
    expect(await rejection(passwordless.signIn(spelling))).toBeInstanceOf(AuthError);
    const raw = { client_id: clinic.passwordless, phone_number: spelling };
    expect((await bench.post('/passwordless/sign_in', raw)).status).toBe(422);
  });
});

describe.each([
  ['ten minutes fast', 10 * MINUTE],
  ['ten minutes slow', -10 * MINUTE],
])('a device whose clock is %s', (_, by) => {
  test('signs in, stays signed in for 30 days, and then has to sign in again', async () => {
    wrongBy = by;
    await signInByPhone();
    const first = await user.getAccessToken();
    const calls = async () => {
      const token = await user.getAccessToken();
      return (await bench.call('GET', '/api/v1/patients/me', undefined, { token })).status;
    };
    for (const minutes of [1, 30, 18, 9, 5, 40, 70]) {
      bench.clock.pass(minutes * MINUTE);
      expect(await calls()).toBe(200);
    }
    expect(await user.getAccessToken()).not.toBe(first);
    bench.clock.pass(29 * DAY);
    expect(await calls()).toBe(200);
    bench.clock.pass(1 * DAY);
    expect(await rejection(user.getAccessToken())).toMatchObject({ name: 'SignInRequiredError', retryable: false });
  });

  test('can be corrected during a session', async () => {
    wrongBy = by;
    await signInByPhone();
    wrongBy = 0;
    for (const minutes of [1, 48, 9, 5, 40]) {
      bench.clock.pass(minutes * MINUTE);
      const token = await user.getAccessToken();
      expect((await bench.call('GET', '/identity/user', undefined, { token })).status).toBe(200);
    }
  });

  test('can use a code as long as the service accepts it', async () => {
    wrongBy = by;
    const number = newNumber();
    await passwordless.signUp(number);
    const waiting = await passwordless.signIn(number);
    const code = await bench.codeFor(number);
    expect(Date.parse(waiting.expiresAt) - now()).toBeGreaterThan(4 * MINUTE);
    bench.clock.pass(4 * MINUTE);
    await passwordless.completeSignIn(waiting, code);
  });
});

describe('every error is an AuthError that says what to do', () => {
  const WAYS: [string, () => Promise<unknown>, string, string, boolean][] = [
    [
      'too soon',
      async () => {
        const number = newNumber();
        await passwordless.signIn(number);
        await passwordless.signIn(number);
      },
      'RateLimitedError',
      'rate_limited',
      true,
    ],
    [
      'a wrong code',
      async () => passwordless.completeSignIn(await passwordless.signIn(newNumber()), '000000'),
      'InvalidCodeError',
      'invalid_code',
      false,
    ],
    [
      'a code that has run out',
      async () => {
        const number = newNumber();
        await passwordless.signUp(number);
        const waiting = await passwordless.signIn(number);
        const code = await bench.codeFor(number);
        bench.clock.pass(6 * MINUTE);
        await passwordless.completeSignIn(waiting, code);
      },
      'InvalidCodeError',
      'expired_code',
      false,
    ],
    [
      'letters for a code',
      async () => passwordless.completeSignIn(await passwordless.signIn(newNumber()), 'abcdef'),
      'InvalidCodeError',
      'invalid_code',
      false,
    ],
    [
      'a wrong password',
      () => credentials.signIn(newEmail(), PASSWORD),
      'InvalidCredentialsError',
      'invalid_credentials',
      false,
    ],
    [
      'a short password',
      () => credentials.signUp(newEmail(), 'short'),
      'PasswordRuleError',
      'password_too_short',
      false,
    ],
    ['no email', () => credentials.signUp('ada', PASSWORD), 'InvalidInputError', 'invalid_email', false],
    ['no session', () => user.getPayload(), 'NotSignedInError', 'not_signed_in', false],
    [
      'no password to change',
      async () => {
        await signInByPhone();
        await user.updatePassword(PASSWORD, NEXT);
      },
      'NotAllowedError',
      'no_password',
      false,
    ],
    [
      'a session that was ended elsewhere',
      async () => {
        await signInByPhone();
        await clinic.ctx.db.patientSession.updateMany({ data: { endedAt: new Date() } });
        await user.getAccessToken({ renew: true });
      },
      'SignInRequiredError',
      'sign_in_required',
      false,
    ],
    [
      'no service',
      () => {
        passwordless.configure(tokens.passwordless, { fetch: () => Promise.reject(new TypeError('fetch failed')) });
        return passwordless.signIn(newNumber());
      },
      'NetworkError',
      'network',
      true,
    ],
  ];
  test.each(WAYS)('%s', async (_, work, name, code, retryable) => {
    const error = await rejection(work());
    expect(error).toBeInstanceOf(AuthError);
    expect(error).toMatchObject({ name, code, retryable });
    expect(error.message).toMatch(/^[A-Z].{10,}\.|\?$/);
    expect(error.retryAfterSeconds === undefined).toBe(name !== 'RateLimitedError');
    if (name === 'RateLimitedError') expect(error.retryAfterSeconds).toBeGreaterThan(0);
  });

  test('accepts spaces and full-width digits in a code', async () => {
    for (const spell of [
      (code: string) => ` ${code.slice(0, 3)} ${code.slice(3)} `,
      (code: string) => [...code].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join(''),
    ]) {
      const number = newNumber();
      await passwordless.signUp(number);
      const waiting = await passwordless.signIn(number);
      await passwordless.completeSignIn(waiting, spell(await bench.codeFor(number)));
      await user.signOut();
    }
  });
});
