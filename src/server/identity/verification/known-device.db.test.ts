import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archivePatient } from '#dev/testing/archive-patient.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT, prove, register, signInWithPassword } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { PASSWORD, type SignedIn, signedIn } from '#dev/testing/signed-in.ts';
import { DAY, MINUTE } from '../../core/clock.ts';
import { isKnownDevice } from './known-device.ts';

const NEXT = 'another quite long passphrase';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let hillside: typeof clinic;
let people: ReturnType<typeof signedIn>;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  hillside = await bench.tenant();
  people = signedIn(bench, clinic);
});
afterAll(() => bench?.stop());

const isKnown = (patient: SignedIn, device: string | undefined = patient.device, { ctx } = clinic) =>
  isKnownDevice(ctx.db, ctx, device, { patientId: patient.user.user_id });
/** Signs in by text message again, with the device secret. */
async function signInAgain(number: string, device?: string): Promise<SignedIn> {
  bench.clock.pass(11 * MINUTE);
  return people.byText(number, device);
}

describe('a device', () => {
  test('gets a secret of 256 bits at its first sign-in, and none while it is known', async () => {
    const number = people.newNumber();
    await people.byPhone(number);
    const first = await signInAgain(number);
    expect(Buffer.from(first.device.split('.')[1]!, 'base64url')).toHaveLength(32);
    expect((await signInAgain(number, first.device)).device).toBeUndefined();
    const elsewhere = await signInAgain(number);
    expect(elsewhere.device).not.toBe(first.device);
    expect(await clinic.ctx.db.knownDevice.count({ where: { patientId: first.user.user_id } })).toBe(3);
    for (const device of [first.device, elsewhere.device]) expect(await isKnown(first, device)).toBe(true);
  });

  test('is known after a sign-in by password or text message', async () => {
    const email = people.newEmail();
    const first = await people.byEmail(email);
    const { body } = await prove(bench, clinic.credentials, email, PASSWORD);
    const { device } = first;
    const second = await bench.post('/credentials/srp/finish', { ...body, device });
    expect([second.status, second.body.device]).toEqual([200, undefined]);
  });

  test('gets the same secret again when the response was lost, and none at a refresh', async () => {
    const number = people.newNumber();
    await bench.post('/passwordless/sign_up', {
      client_id: clinic.passwordless,
      phone_number: number,
      attempt: ATTEMPT,
    });
    const requested = await bench.post('/passwordless/sign_in', {
      client_id: clinic.passwordless,
      phone_number: number,
    });
    const body = { challenge: requested.body.challenge, code: await bench.codeFor(number) };
    const headers = { 'idempotency-key': 'once' };
    const lost = await bench.post('/passwordless/complete', body, { headers });
    const completed = await bench.post('/passwordless/complete', body, { headers });
    expect(completed.body.device).toBe(lost.body.device);
    const refreshed = await bench.refresh(clinic.passwordless, completed.body.refresh_token);
    expect([refreshed.status, refreshed.body.device]).toEqual([200, undefined]);
  });

  test('is known for 90 days after its last sign-in', async () => {
    const number = people.newNumber();
    const patient = await people.byPhone(number);
    bench.clock.pass(89 * DAY);
    await signInAgain(number, patient.device);
    bench.clock.pass(89 * DAY);
    expect(await isKnown(patient)).toBe(true);
    bench.clock.pass(DAY);
    expect(await isKnown(patient)).toBe(false);
    expect((await signInAgain(number, patient.device)).device).toBeDefined();
  });

  test('stays known after signing out', async () => {
    const patient = await people.byPhone();
    expect((await people.as(patient, 'POST', '/sign_out', {})).status).toBe(204);
    expect(await isKnown(patient)).toBe(true);
  });

  test('is removed after a password reset', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    const other: SignedIn = (await people.signIn(email)).body;
    bench.clock.pass(MINUTE);
    const client_id = clinic.credentials;
    await bench.post('/credentials/reset', { client_id, email, attempt: ATTEMPT });
    const code = await bench.codeFor(email);
    expect(await isKnown(patient)).toBe(true);
    const srp = register(NEXT);
    await bench.post('/credentials/reset/complete', { client_id, email, attempt: ATTEMPT, code, srp });
    expect([await isKnown(patient), await isKnown(other)]).toEqual([false, false]);
    const signedIn = await signInWithPassword(bench, client_id, email, NEXT);
    expect(signedIn.body.device).toBeDefined();
  });

  test('is removed after archiving', async () => {
    const patient = await people.byPhone();
    await archivePatient(clinic.ctx, { id: patient.user.user_id });
    expect(await isKnown(patient)).toBe(false);
  });
});

describe('a secret of another account counts as none', () => {
  test('of another patient: a new one is issued, the other is not extended', async () => {
    const number = people.newNumber();
    const [owner, other] = [await people.byPhone(number), await people.byPhone()];
    const before = await clinic.ctx.db.knownDevice.findFirstOrThrow({ where: { patientId: other.user.user_id } });
    expect(await isKnown(owner, other.device)).toBe(false);
    expect((await signInAgain(number, other.device)).device).toBeDefined();
    const after = await clinic.ctx.db.knownDevice.findFirstOrThrow({ where: { patientId: other.user.user_id } });
    expect(after.expiresAt).toEqual(before.expiresAt);
  });

  test('of the same number at another clinic, also with this clinic’s prefix', async () => {
    const number = people.newNumber();
    const here = await people.byPhone(number);
    const there = await signedIn(bench, hillside).byPhone(number);
    const [mine] = here.device.split('.');
    const moved = `${mine}.${there.device.split('.')[1]}`;
    for (const device of [there.device, moved]) expect(await isKnown(here, device)).toBe(false);
    expect((await signInAgain(number, there.device)).device).toBeDefined();
  });

  test('an empty, overlong or malformed secret', async () => {
    const number = people.newNumber();
    const patient = await people.byPhone(number);
    for (const device of ['a.b', `${patient.device}x`, patient.device.slice(0, -1), patient.device.toUpperCase()])
      expect((await signInAgain(number, device)).device).toBeDefined();
  });
});

test('the stored hash does not reveal the secret', async () => {
  const patient = await people.byPhone();
  const rows = await clinic.ctx.db.$queryRaw<{ row: string }[]>`select d::text as row from known_devices d`;
  const text = rows.map(({ row }) => row).join('\n');
  const [, secret] = patient.device.split('.');
  const spellings = [secret!, Buffer.from(secret!, 'base64url').toString('hex'), Buffer.from(secret!).toString('hex')];
  for (const spelling of spellings) expect(text).not.toContain(spelling);
});
