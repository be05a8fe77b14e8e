import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { credentials } from '#sdk/credentials.ts';
import { passwordless } from '#sdk/passwordless.ts';
import { user } from '#sdk/user.ts';
import { type AuthStorage, memoryStorage } from '#sdk/vault.ts';
import { DAY, MINUTE } from '#server/core/clock.ts';
import { getConfigurationTokens } from '#server/identity/applications/get-configuration-tokens.ts';
import { invitePatient } from '#server/identity/patients/invitation/invite-patient.ts';
import { setInvites } from '#server/identity/patients/invitation/set-invites.ts';
import { asAdmin } from './actors.ts';
import { withClinic } from './clinic.ts';
import { SIGN_IN, type SignInBench, withSignIn } from './patient-sign-in.ts';

const OWN = 'seven quiet rivers';
const ATTACKERS = 'eight louder rivers';
const CHOSEN_AGAIN = 'nine hidden rivers';
const ADA = { first_name: 'Ada', birth_date: '1990-02-28', metadata: { own: 1 } };
const MALLORY = { first_name: 'Mallory', tag_list: ['vip'], metadata: { planted: true } };

/** A device with its storage and browser. Its IP address changes with each call, unless one is given. */
type Device = { storage: AuthStorage; browser: string; ip?: string };
const device = (browser: string, ip?: string): Device => ({ storage: memoryStorage(), browser, ...(ip && { ip }) });
let networks = 0;
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';
const SAFARI = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let tokens: Awaited<ReturnType<typeof getConfigurationTokens>>;
let [laptop, phone, attacker]: Device[] = [];
let count = 0;
const newEmail = () => `ada${++count}@example.test`;
const newNumber = () => `+1202555${String(1000 + ++count)}`;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  tokens = await getConfigurationTokens(clinic.ctx);
});
afterAll(() => bench?.stop());
beforeEach(() => {
  laptop = device(FIREFOX);
  phone = device(SAFARI);
  attacker = device(CHROME);
});

/** Runs one SDK call on a device, after the previous call's rate limit has passed. */
async function on<Result>(at: Device | undefined, step: () => Promise<Result>): Promise<Result> {
  const { storage, browser, ip = `10.0.${++networks >> 8}.${networks & 255}` } = at!;
  const fetch: typeof globalThis.fetch = (url, init) =>
    globalThis.fetch(url, {
      ...init,
      headers: { ...(init?.headers as Record<string, string>), 'user-agent': browser, 'x-forwarded-for': ip },
    });
  const options = { storage, fetch, now: () => bench.clock.now().getTime() };
  passwordless.configure(tokens.passwordless, options);
  credentials.configure(tokens.credentials, options);
  bench.clock.pass(11 * MINUTE);
  return step();
}
const rejection = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error) => error,
  );
const errorCode = (at: Device | undefined, step: () => Promise<unknown>) =>
  rejection(on(at, step)).then((error) => error?.code);

/** Returns the newest code from an email that names this browser. */
async function codeFor(email: string, browser: string): Promise<string> {
  await bench.settled();
  const mail = (await bench.messages(email)).find(({ text }) => text.includes(browser) && /\b\d{6}\b/.test(text));
  const code = mail?.text.match(/\b\d{6}\b/)?.[0];
  if (!code) throw new Error(`no code for ${browser} reached ${email}`);
  return code;
}
const recordOf = (email: string) =>
  clinic.ctx.db.patient.findFirstOrThrow({
    where: { email },
    select: { firstName: true, birthDate: true, tagList: true, metadata: true, canSignIn: true },
  });
const ADAS = {
  firstName: 'Ada',
  birthDate: new Date('1990-02-28'),
  tagList: [],
  metadata: { own: 1 },
  canSignIn: true,
};

const signUp = (email: string, password: string, attributes: object) => () =>
  credentials.signUp(email, password, attributes);
const confirm = (email: string, code: string) => () => credentials.confirmSignUp(email, code);
const signIn = (email: string, password: string) => () => credentials.signIn(email, password);

describe('another person signs up with the same email address', () => {
  test.each([
    ['after the owner', ['owner', 'attacker']],
    ['before the owner', ['attacker', 'owner']],
    ['before and after', ['attacker', 'owner', 'attacker']],
  ])('%s: each code confirms the sign-up of its own device', async (_, order) => {
    const email = newEmail();
    for (const who of order)
      if (who === 'owner') await on(laptop, signUp(email, OWN, ADA));
      else await on(attacker, signUp(email, ATTACKERS, MALLORY));
    const [attackersCode, own] = [await codeFor(email, 'Chrome on Windows'), await codeFor(email, 'Firefox on Linux')];
    if (attackersCode !== own) expect(await errorCode(laptop, confirm(email, attackersCode))).toBe('invalid_code');
    await on(laptop, confirm(email, own));
    await on(laptop, signIn(email, OWN));
    expect(await recordOf(email)).toEqual(ADAS);
    // To the other person the sign-up still looks pending: they do not learn that the address was confirmed.
    for (const at of [attacker, phone])
      expect(await errorCode(at, signIn(email, ATTACKERS))).toBe('account_not_confirmed');
    expect(await clinic.ctx.db.patient.count({ where: { email } })).toBe(1);
  });

  test('overwrites nothing while both are pending', async () => {
    const email = newEmail();
    await on(laptop, signUp(email, OWN, ADA));
    await on(attacker, signUp(email, ATTACKERS, MALLORY));
    expect(await recordOf(email)).toEqual({ ...ADAS, canSignIn: false });
    expect(await errorCode(laptop, signIn(email, OWN))).toBe('account_not_confirmed');
    expect(await errorCode(laptop, signIn(email, ATTACKERS))).toBe('invalid_credentials');
  });

  test('leaves none of their data in the confirmed record', async () => {
    const email = newEmail();
    await on(attacker, signUp(email, ATTACKERS, { ...MALLORY, phones_attributes: [{ number: '3105550123' }] }));
    await on(laptop, signUp(email, OWN, ADA));
    await on(laptop, confirm(email, await codeFor(email, 'Firefox on Linux')));
    const { phones, searchText } = await clinic.ctx.db.patient.findFirstOrThrow({
      where: { email },
      include: { phones: true },
    });
    expect([phones, searchText]).toEqual([[], expect.not.stringMatching(/mallory|310555/)]);
  });

  test('guesses, and requests codes and a reset: the owner’s code still works', async () => {
    const email = newEmail();
    await on(laptop, signUp(email, OWN, ADA));
    const code = await codeFor(email, 'Firefox on Linux');
    await on(attacker, signUp(email, ATTACKERS, MALLORY));
    for (let n = 0; n < 6; n++)
      expect(await errorCode(attacker, confirm(email, String(100_000 + n)))).toMatch(/invalid_code|too_many_tries/);
    await on(attacker, () => credentials.resendConfirmationCode(email));
    await on(attacker, () => credentials.requestPasswordReset(email));
    await on(laptop, confirm(email, code));
    expect(await recordOf(email)).toEqual(ADAS);
  });

  test('none of their codes works after the confirmation', async () => {
    const email = newEmail();
    await on(attacker, signUp(email, ATTACKERS, MALLORY));
    await on(laptop, signUp(email, OWN, ADA));
    const attackersCode = await codeFor(email, 'Chrome on Windows');
    await on(laptop, confirm(email, await codeFor(email, 'Firefox on Linux')));
    const late = await rejection(on(attacker, confirm(email, attackersCode)));
    expect([late.name, late.code]).toEqual(['InvalidCodeError', 'invalid_code']);
    expect(late.message).toContain('confirmed from another device');
    await on(attacker, () => credentials.resendConfirmationCode(email));
    await bench.settled();
    expect((await bench.messages(email))[0]?.text).not.toMatch(/\b\d{6}\b/);
    expect(await errorCode(attacker, signIn(email, ATTACKERS))).toBe('account_not_confirmed');
    expect(await recordOf(email)).toEqual(ADAS);
    await on(laptop, signIn(email, OWN));
  });

  test('keeps the clinic’s changes to the owner’s record', async () => {
    const email = newEmail();
    await on(laptop, signUp(email, OWN, ADA));
    await on(attacker, signUp(email, ATTACKERS, MALLORY));
    await clinic.ctx.db.patient.updateMany({ where: { email }, data: { tagList: ['called back'] } });
    await on(laptop, confirm(email, await codeFor(email, 'Firefox on Linux')));
    expect(await recordOf(email)).toEqual({ ...ADAS, tagList: ['called back'] });
  });
});

describe('another device of the same person', () => {
  test('continues the sign-up with its password, and so does the first device', async () => {
    const email = newEmail();
    await on(attacker, signUp(email, ATTACKERS, MALLORY));
    await on(laptop, signUp(email, OWN, ADA));
    expect(await errorCode(phone, signIn(email, OWN))).toBe('account_not_confirmed');
    await on(phone, () => credentials.resendConfirmationCode(email));
    await on(phone, confirm(email, await codeFor(email, 'Safari on iOS')));
    await on(phone, signIn(email, OWN));
    expect(await recordOf(email)).toEqual(ADAS);
    await on(laptop, signIn(email, OWN));
  });

  test('signs up again, and the new attributes apply', async () => {
    const email = newEmail();
    await on(laptop, signUp(email, OWN, ADA));
    await on(phone, signUp(email, CHOSEN_AGAIN, { first_name: 'Ada', birth_date: '1990-03-01' }));
    await on(phone, confirm(email, await codeFor(email, 'Safari on iOS')));
    await on(phone, signIn(email, CHOSEN_AGAIN));
    expect(await recordOf(email)).toMatchObject({ birthDate: new Date('1990-03-01'), metadata: {} });
    await on(laptop, signIn(email, CHOSEN_AGAIN));
  });

  test('gets other_device for the code of the first device', async () => {
    const email = newEmail();
    await on(laptop, signUp(email, OWN, ADA));
    const code = await codeFor(email, 'Firefox on Linux');
    const error = await rejection(on(phone, confirm(email, code)));
    expect([error.name, error.code, error.retryable]).toEqual(['InvalidCodeError', 'other_device', false]);
    expect(error.message).toMatch(/another device\. Sign up on this device first, or sign in with your password\.$/);
    const reset = await rejection(on(phone, () => credentials.completePasswordReset(email, code, CHOSEN_AGAIN)));
    expect([reset.name, reset.code]).toEqual(['InvalidCodeError', 'other_device']);
    await on(phone, () => credentials.resendConfirmationCode(email));
    await bench.settled();
    expect((await bench.messages(email))[0]?.text).toContain('use the device where you signed up, or sign up again');
    await on(laptop, confirm(email, code));
  });

  test('continues nothing with a wrong password', async () => {
    const email = newEmail();
    await on(laptop, signUp(email, OWN, ADA));
    await bench.settled();
    expect(await errorCode(attacker, signIn(email, ATTACKERS))).toBe('invalid_credentials');
    await on(attacker, () => credentials.resendConfirmationCode(email));
    await bench.settled();
    expect((await bench.messages(email))[0]?.text).not.toMatch(/\b\d{6}\b/);
    expect(await errorCode(attacker, confirm(email, '123456'))).toBe('other_device');
  });
});

describe('a sign-up on one device', () => {
  test('survives a reload, a lost response and a repetition', async () => {
    const email = newEmail();
    await on(laptop, signUp(email, OWN, MALLORY));
    const first = await codeFor(email, 'Firefox on Linux');
    await on({ ...laptop! }, signUp(email, CHOSEN_AGAIN, ADA));
    const next = await codeFor(email, 'Firefox on Linux');
    if (first !== next) expect(await errorCode(laptop, confirm(email, first))).toBe('invalid_code');
    await on({ ...laptop! }, confirm(email, next));
    await on(laptop, signIn(email, CHOSEN_AGAIN));
    expect(await recordOf(email)).toEqual(ADAS);
  });

  test('gets no code from a reset request, which would confirm another person’s sign-up', async () => {
    const email = newEmail();
    await on(attacker, signUp(email, ATTACKERS, MALLORY));
    await bench.settled();
    await on(laptop, () => credentials.requestPasswordReset(email));
    await bench.settled();
    const [mail] = await bench.messages(email);
    expect(mail?.subject).toContain('confirm your email address first');
    expect(mail?.text).not.toMatch(/\b\d{6}\b/);
    expect(await clinic.ctx.db.patientSignIn.count({ where: { patient: { email }, confirmedAt: null } })).toBe(1);
    await on(laptop, signUp(email, OWN, ADA));
    await on(laptop, confirm(email, await codeFor(email, 'Firefox on Linux')));
    expect(await recordOf(email)).toEqual(ADAS);
  });
});

describe('a forgotten password', () => {
  test('is reset on the device that requested it, despite requests and guesses from another', async () => {
    const email = newEmail();
    await on(laptop, signUp(email, OWN, ADA));
    await on(laptop, confirm(email, await codeFor(email, 'Firefox on Linux')));
    await on(phone, () => credentials.requestPasswordReset(email));
    const own = await codeFor(email, 'Safari on iOS');
    bench.clock.pass(-11 * MINUTE + 31_000);
    await on(attacker, () => credentials.requestPasswordReset(email));
    const attackersCode = await codeFor(email, 'Chrome on Windows');
    bench.clock.pass(-22 * MINUTE);
    for (let n = 0; n < 6; n++)
      await rejection(on(attacker, () => credentials.completePasswordReset(email, String(100_000 + n), ATTACKERS)));
    bench.clock.pass(-6 * 11 * MINUTE);
    if (own !== attackersCode) {
      const wrong = () => credentials.completePasswordReset(email, attackersCode, CHOSEN_AGAIN);
      expect(await errorCode(phone, wrong)).toBe('invalid_code');
      bench.clock.pass(-11 * MINUTE);
    }
    await on(phone, () => credentials.completePasswordReset(email, own, CHOSEN_AGAIN));
    await on(phone, signIn(email, CHOSEN_AGAIN));
    expect(await errorCode(phone, signIn(email, ATTACKERS))).toBe('invalid_credentials');
  });
});

describe('another person signs up with the same phone number', () => {
  const byPhone = (number: string, attributes: object) => () => passwordless.signUp(number, attributes);
  const me = async () =>
    (await bench.call('GET', '/api/v1/patients/me', undefined, { token: await user.getAccessToken() })).body;
  const enter = async (at: Device | undefined, number: string, reload: 'with' | 'without' = 'with') => {
    const waiting = await on(at, () => passwordless.signIn(number));
    const code = await bench.codeFor(number);
    const stored = JSON.parse(JSON.stringify(waiting));
    const then = reload === 'with' ? at : { ...at!, storage: memoryStorage() };
    bench.clock.pass(-11 * MINUTE);
    return on(then, async () => {
      await passwordless.completeSignIn(stored, code);
      return me();
    });
  };
  const BLANK = { first_name: null, birth_date: null, tag_list: [], metadata: {} };

  test.each([
    ['after the owner', [() => laptop, () => attacker]],
    ['before the owner', [() => attacker, () => laptop]],
  ])('%s: the owner’s attributes apply', async (_, order) => {
    const number = newNumber();
    for (const who of order) await on(who(), byPhone(number, who() === laptop ? ADA : MALLORY));
    expect(await enter(laptop, number)).toMatchObject({
      ...ADA,
      tag_list: [],
      phone_number: number,
      can_sign_in: true,
    });
    expect((await enter(phone, number)).first_name).toBe('Ada');
  });

  test('requests a code in between: the owner’s code works', async () => {
    const number = newNumber();
    await on(laptop, byPhone(number, ADA));
    const waiting = await on(laptop, () => passwordless.signIn(number));
    const code = await bench.codeFor(number);
    bench.clock.pass(-11 * MINUTE + 31_000);
    const theirs = await on(attacker, () => passwordless.signIn(number));
    bench.clock.pass(-11 * MINUTE);
    for (let n = 0; n < 6; n++)
      await rejection(on(attacker, () => passwordless.completeSignIn(theirs, String(100_000 + n))));
    bench.clock.pass(-7 * 11 * MINUTE);
    await on(laptop, () => passwordless.completeSignIn(waiting, code));
    expect((await me()).first_name).toBe('Ada');
  });

  test('a device that did not sign up gets a blank record without the other person’s data', async () => {
    const number = newNumber();
    await on(attacker, byPhone(number, { ...MALLORY, phones_attributes: [{ number: '3105550123' }] }));
    const own = await enter(laptop, number);
    expect(own).toMatchObject({ ...BLANK, phone_number: number, phone_number_verified: true, can_sign_in: true });
    expect(own.phones.map((one: { number: string }) => one.number)).toEqual([number]);
    const { searchText } = await clinic.ctx.db.patient.findUniqueOrThrow({ where: { id: own.id } });
    expect(searchText).not.toMatch(/mallory|310555/);
  });

  test('the attributes are kept in the waiting user when storage is lost', async () => {
    const number = newNumber();
    await on(attacker, byPhone(number, MALLORY));
    await on(laptop, byPhone(number, ADA));
    expect(await enter(laptop, number, 'without')).toMatchObject(ADA);
  });

  test('an invited patient keeps the clinic’s record', async () => {
    const number = newNumber();
    const admin = asAdmin(bench.services, { id: clinic.ctx.tenantId });
    await setInvites(admin, { enabled: true });
    await invitePatient(admin, { phone_number: number, first_name: 'Grace', tag_list: ['by referral'] });
    await on(attacker, byPhone(number, MALLORY));
    await on(laptop, byPhone(number, ADA));
    expect(await enter(laptop, number)).toMatchObject({ first_name: 'Grace', tag_list: ['by referral'], metadata: {} });
  });

  test('repeatedly: pending sign-ups from one IP address replace only each other', async () => {
    const number = newNumber();
    await on(laptop, byPhone(number, ADA));
    const stored = () => clinic.ctx.db.signUpAttempt.count({ where: { askedAt: { gt: new Date(0) } } });
    const before = await stored();
    const outcomes: (string | undefined)[] = [];
    for (let n = 0; n < 14; n++) {
      outcomes.push(await errorCode(device(CHROME, '198.51.100.7'), byPhone(number, MALLORY)));
      bench.clock.pass(-11 * MINUTE);
    }
    expect(outcomes).toEqual([...Array(10).fill(undefined), ...Array(4).fill('rate_limited')]);
    bench.clock.pass(DAY);
    expect(await errorCode(device(CHROME, '198.51.100.7'), byPhone(number, MALLORY))).toBeUndefined();
    expect(await stored()).toBe(before + 10);
    expect(await enter(laptop, number)).toMatchObject(ADA);
  });
});
