import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin, asPractitioner } from '#dev/testing/actors.ts';
import { addressChanges } from '#dev/testing/address-changes.ts';
import { archivePatient } from '#dev/testing/archive-patient.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT, newAttempt, prove, register, signInWithPassword } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { errorOf, PASSWORD, type SignedIn, signedIn } from '#dev/testing/signed-in.ts';
import { HOUR, MINUTE } from '#server/core/clock.ts';
import { newId } from '#server/core/ids.ts';
import { unarchivePatient } from '#server/patients/router.ts';
import { isKnownDevice } from '../../verification/known-device.ts';
import { helpSignIn } from '../help/help-sign-in.ts';
import { getAddressChange } from './get-address-change.ts';

const NEXT = 'another quite long passphrase';
const ATTACKER_PASSWORD = 'the thief chose this passphrase';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let people: ReturnType<typeof signedIn>;
let moved: ReturnType<typeof addressChanges>;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  people = signedIn(bench, clinic);
  moved = addressChanges(bench, people);
});
afterAll(() => bench?.stop());

const row = (patient: SignedIn) =>
  clinic.ctx.db.patient.findFirstOrThrow({
    where: { id: patient.user.user_id },
    include: { signIn: true, phones: true },
  });
const requestReset = async (email: string) => {
  // Wait for earlier messages: the newest one must be that of this reset.
  await bench.settled();
  bench.clock.pass(MINUTE);
  return bench.post('/credentials/reset', { client_id: clinic.credentials, email, attempt: ATTEMPT });
};
const reset = (email: string, code: string, password: string) =>
  bench.post('/credentials/reset/complete', {
    client_id: clinic.credentials,
    email,
    attempt: ATTEMPT,
    code,
    srp: register(password),
  });
const newestText = async (address: string) => {
  await bench.settled();
  return (await bench.messages(address))[0]?.text ?? '';
};
/** Counts changes; entries of repeated requests name the visitor. */
const count = (patient: SignedIn, action: string) =>
  clinic.ctx.db.auditEntry.count({
    where: { patientId: patient.user.user_id, action, actorType: { not: 'Visitor' } },
  });
/** Runs `call` with a clock that advances 1 ms at each reading. */
async function whileClockMoves<Result>(call: () => Promise<Result>): Promise<Result> {
  const { now } = bench.clock;
  let readings = 0;
  bench.clock.now = () => new Date(now().getTime() + ++readings);
  return call().finally(() => Object.assign(bench.clock, { now }));
}
/** Signs in with the previous password and sets a new one, as the service requires. */
async function replacePassword(email: string, password: string, next: string) {
  const response = await people.signIn(email, password);
  expect(response.body).toMatchObject({ new_password_required: true });
  const { started } = await prove(bench, clinic.credentials, email, password);
  const srp = register(next, started.body.identity);
  return bench.post('/credentials/complete_invitation', { continuation: response.body.continuation, srp });
}

describe('a thief who changed the email address', () => {
  test('loses it with all sessions, devices and pending steps; the owner continues with the password', async () => {
    const [email, attackerEmail] = [people.newEmail(), people.newEmail()];
    const patient = await people.byEmail(email);
    const link = await moved.move(patient, attackerEmail);
    await requestReset(attackerEmail);
    const code = await bench.codeFor(attackerEmail);
    const pendingProof = await prove(bench, clinic.credentials, attackerEmail, PASSWORD);
    const other: SignedIn = (await people.signIn(attackerEmail)).body;
    const second = await prove(bench, clinic.credentials, attackerEmail, PASSWORD);
    const { proof } = (await people.as(other, 'POST', '/proof', second.body)).body;
    expect(proof).toBeDefined();

    expect((await moved.undo(link)).body).toMatchObject({ state: 'undone', restored: true, needs: 'password' });
    expect(await row(patient)).toMatchObject({ email, emailVerified: true });
    for (const { access_token, refresh_token } of [patient, other]) {
      expect((await people.as({ access_token }, 'GET', '')).status).toBe(401);
      expect((await bench.refresh(clinic.credentials, refresh_token)).status).toBe(400);
    }
    for (const { device } of [patient, other])
      expect(await isKnownDevice(clinic.ctx.db, clinic.ctx, device, { patientId: patient.user.user_id })).toBe(false);
    expect(errorOf(await reset(attackerEmail, code, ATTACKER_PASSWORD))).toEqual([422, 'invalid_code']);
    expect(errorOf(await bench.post('/credentials/srp/finish', pendingProof.body))).toEqual([409, 'expired_handshake']);
    expect(errorOf(await people.signIn(attackerEmail))).toEqual([401, 'invalid_credentials']);
    expect(await clinic.ctx.db.signInStep.count({ where: { patientId: patient.user.user_id } })).toBe(0);

    const back = await replacePassword(email, PASSWORD, NEXT);
    expect(back.body.user).toMatchObject({ user_id: patient.user.user_id, email });
    expect((await people.signIn(email, NEXT)).body.user.user_id).toBe(patient.user.user_id);
    expect((await row(patient)).signIn).toMatchObject({ resetRequiredAt: null, resetBy: null });
  });

  test('gains nothing by setting a password: neither that nor the previous one lifts the lock, only the clinic', async () => {
    const [email, attackerEmail] = [people.newEmail(), people.newEmail()];
    const patient = await people.byEmail(email);
    const link = await moved.move(patient, attackerEmail);
    await requestReset(attackerEmail);
    expect((await reset(attackerEmail, await bench.codeFor(attackerEmail), ATTACKER_PASSWORD)).status).toBe(204);
    expect((await moved.undo(link)).body).toMatchObject({ restored: true, needs: 'clinic' });
    expect(errorOf(await people.signIn(email, ATTACKER_PASSWORD))).toEqual([403, 'sign_in_locked']);
    expect(errorOf(await people.signIn(email, PASSWORD))).toEqual([401, 'invalid_credentials']);
  });

  test('gets sign_in_locked for their own password, even if the clock advances at each reading', async () => {
    const [email, attackerEmail] = [people.newEmail(), people.newEmail()];
    const patient = await people.byEmail(email);
    const link = await moved.move(patient, attackerEmail);
    await requestReset(attackerEmail);
    expect((await reset(attackerEmail, await bench.codeFor(attackerEmail), ATTACKER_PASSWORD)).status).toBe(204);
    const { body } = await whileClockMoves(() => moved.undo(link));
    expect(body).toMatchObject({ restored: true, needs: 'clinic' });
    expect((await row(patient)).signIn).toMatchObject({ resetBy: 'staff' });
    expect(errorOf(await people.signIn(email, ATTACKER_PASSWORD))).toEqual([403, 'sign_in_locked']);
  });

  test('does not invalidate the owner’s password, even if the clock advances at each reading', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    const link = await moved.move(patient, people.newEmail());
    const { body } = await whileClockMoves(() => moved.undo(link));
    expect(body).toMatchObject({ restored: true, needs: 'password' });
    expect((await replacePassword(email, PASSWORD, NEXT)).status).toBe(200);
  });

  test('cannot block its recovery by signing up with it', async () => {
    const [email, attackerEmail] = [people.newEmail(), people.newEmail()];
    const patient = await people.byEmail(email);
    const link = await moved.move(patient, attackerEmail);
    bench.clock.pass(MINUTE);
    const signUp = { client_id: clinic.credentials, email, attempt: newAttempt() };
    await bench.post('/credentials/sign_up', { ...signUp, srp: register(ATTACKER_PASSWORD) });
    const code = await bench.codeFor(email);
    expect((await moved.undo(link)).body).toMatchObject({ restored: true, needs: 'password' });
    expect(errorOf(await bench.post('/credentials/confirm', { ...signUp, code }))).toEqual([422, 'invalid_code']);
    bench.clock.pass(MINUTE);
    await bench.post('/credentials/resend', signUp);
    expect(await newestText(email)).not.toMatch(/\b\d{6}\b/);
    expect((await replacePassword(email, PASSWORD, NEXT)).body.user.user_id).toBe(patient.user.user_id);
  });
});

describe('a mailbox or number that its owner gave up', () => {
  test('gains nothing by undoing: a mailed code does not set a password', async () => {
    const [lost, own] = [people.newEmail(), people.newEmail()];
    const patient = await people.byEmail(lost);
    const link = await moved.move(patient, own);
    await moved.undo(link);
    expect((await requestReset(lost)).status).toBe(202);
    expect(await newestText(lost)).toMatch(/your sign-in is paused|code by email cannot do that/);
    expect(await newestText(lost)).not.toMatch(/\b\d{6}\b/);
    for (const code of ['000000', '123456'])
      expect(errorOf(await reset(lost, code, ATTACKER_PASSWORD))).toEqual([422, 'invalid_code']);
    expect(await newestText(own)).toContain('was undone, and all devices were signed out');
    // The owner still has the password.
    expect((await replacePassword(lost, PASSWORD, NEXT)).status).toBe(200);
  });

  test('gains nothing after the owner signs in by password, and the owner has three days to choose another', async () => {
    const [lost, own] = [people.newEmail(), people.newEmail()];
    const patient = await people.byEmail(lost);
    await moved.undo(await moved.move(patient, own));
    const back: SignedIn = (await replacePassword(lost, PASSWORD, NEXT)).body;
    await requestReset(lost);
    expect(await newestText(lost)).toMatch(/a code by email cannot do that/);
    expect(await newestText(lost)).not.toMatch(/\b\d{6}\b/);
    await moved.move(back, own);
    await requestReset(own);
    expect((await reset(own, await bench.codeFor(own), NEXT)).status).toBe(204);
  });

  test('is an ordinary address again when the undo period ends, or staff have checked the identity', async () => {
    const staff = asPractitioner(bench.services, { id: clinic.ctx.tenantId });
    for (const isHelped of [false, true]) {
      const email = people.newEmail();
      const patient = await people.byEmail(email);
      await moved.undo(await moved.move(patient, people.newEmail()));
      await replacePassword(email, PASSWORD, NEXT);
      const help = { patient_id: patient.user.user_id, identity_check: 'Passport, seen', email };
      if (isHelped) await helpSignIn(staff, help);
      else bench.clock.pass(72 * HOUR);
      await requestReset(email);
      expect((await reset(email, await bench.codeFor(email), PASSWORD)).status).toBe(204);
    }
  });

  test('gets no code by text, but a message to contact the clinic', async () => {
    const [lost, own] = [people.newNumber(), people.newNumber()];
    const patient = await people.byPhone(lost);
    const link = await moved.move(patient, own);
    expect((await moved.undo(link)).body).toMatchObject({ kind: 'phone_number', restored: true, needs: 'clinic' });
    const { signIn, phones } = await row(patient);
    expect([signIn?.phoneNumber, phones.map(({ number, primary }) => [number, primary])]).toEqual([
      lost,
      [[lost, true]],
    ]);
    for (const phone_number of [lost, own]) {
      bench.clock.pass(MINUTE);
      const requested = await bench.post('/passwordless/sign_in', { client_id: clinic.passwordless, phone_number });
      expect(requested.status).toBe(200);
      for (const code of ['000000', '123456'])
        expect(
          errorOf(await bench.post('/passwordless/complete', { challenge: requested.body.challenge, code })),
        ).toEqual([422, 'invalid_code']);
    }
    expect(await newestText(lost)).toContain('sign-in is paused. Please contact us');
    expect(await newestText(lost)).not.toMatch(/\b\d{6}\b/);
    expect(await newestText(own)).not.toMatch(/\b\d{6}\b is your sign-in code/);
  });
});

describe('an address that another patient has now', () => {
  test('requires the clinic even if time passes between the lock and the undo', async () => {
    const [email, attackerEmail] = [people.newEmail(), people.newEmail()];
    const patient = await people.byEmail(email);
    const link = await moved.move(patient, attackerEmail);
    const { db, tenantId } = clinic.ctx;
    await db.patient.create({ data: { id: newId(), tenantId, email, firstName: 'Holder' } });
    const { body } = await whileClockMoves(() => moved.undo(link));
    expect(body).toMatchObject({ state: 'undone', restored: false, needs: 'clinic' });
  });

  test('is not restored, without naming the patient; the account is locked in any case', async () => {
    const [email, attackerEmail] = [people.newEmail(), people.newEmail()];
    const patient = await people.byEmail(email);
    const link = await moved.move(patient, attackerEmail);
    const { db, tenantId } = clinic.ctx;
    const holder = await db.patient.create({ data: { id: newId(), tenantId, email, firstName: 'Holder' } });
    const { body } = await moved.undo(link);
    expect(body).toMatchObject({ state: 'undone', restored: false, needs: 'clinic' });
    expect(JSON.stringify(body)).not.toMatch(/Holder|[0-9a-f]{8}-/);
    expect((await row(patient)).email).toBeNull();
    expect((await db.patient.findFirstOrThrow({ where: { id: holder.id } })).email).toBe(email);
    expect((await people.as(patient, 'GET', '')).status).toBe(401);
    expect(errorOf(await people.signIn(attackerEmail))).toEqual([401, 'invalid_credentials']);
  });

  test('is not restored if it is a number that another patient signs in with', async () => {
    const [number, attackerNumber] = [people.newNumber(), people.newNumber()];
    const patient = await people.byPhone(number);
    const link = await moved.move(patient, attackerNumber);
    bench.clock.pass(11 * MINUTE);
    const holder = await people.byPhone(number);
    expect(holder.user.user_id).not.toBe(patient.user.user_id);
    expect((await moved.undo(link)).body).toMatchObject({ restored: false, needs: 'clinic' });
    expect((await row(patient)).signIn?.phoneNumber).toBeNull();
    expect((await people.as(holder, 'GET', '')).status).toBe(200);
    bench.clock.pass(11 * MINUTE);
    expect((await people.byText(number)).user.user_id).toBe(holder.user.user_id);
  });
});

describe('several changes within 72 hours', () => {
  const chain = async () => {
    const [a, b, c] = [people.newEmail(), people.newEmail(), people.newEmail()];
    const patient = await people.byEmail(a);
    const first = await moved.move(patient, b);
    const second = await moved.move(patient, c);
    return { patient, a, b, c, first, second };
  };

  test('each old address restores itself; the earliest takes precedence', async () => {
    const { patient, a, b, first, second } = await chain();
    expect((await moved.undo(second)).body.restored).toBe(true);
    expect((await row(patient)).email).toBe(b);
    expect((await moved.open(first)).body.state).toBe('valid');
    expect((await moved.undo(first)).body.restored).toBe(true);
    expect((await row(patient)).email).toBe(a);
    expect((await moved.undo(second)).body.state).toBe('undone');
    expect((await row(patient)).email).toBe(a);
  });

  test('undoing the first ends the later ones, whose addresses never were the owner’s', async () => {
    const { patient, a, c, first, second } = await chain();
    await moved.undo(first);
    expect((await moved.open(second)).body.state).toBe('over');
    expect((await moved.undo(second)).body.state).toBe('over');
    expect((await row(patient)).email).toBe(a);
    expect(await newestText(c)).toContain('was undone');
  });

  test('the password does not lift the lock while the other way to sign in is still the thief’s', async () => {
    const [email, number] = [people.newEmail(), people.newNumber()];
    const patient = await people.byEmail(email);
    await moved.move(patient, number);
    const mailed = await moved.move(patient, people.newEmail());
    const texted = await moved.move(patient, people.newNumber());
    expect((await moved.undo(texted)).body).toMatchObject({ restored: true, needs: 'clinic' });
    expect(errorOf(await people.signIn((await row(patient)).email!))).toEqual([403, 'sign_in_locked']);
    expect((await moved.undo(mailed)).body).toMatchObject({ restored: true, needs: 'password' });
    expect((await row(patient)).phoneNumber).toBe(number);
    expect((await replacePassword(email, PASSWORD, NEXT)).status).toBe(200);
  });
});

describe('a contact-only number', () => {
  test('is restored with its state, if it was verified', async () => {
    const [number, attackerNumber] = [people.newNumber(), people.newNumber()];
    const patient = await people.byEmail();
    expect(await moved.move(patient, number)).toBe('');
    const link = await moved.move(patient, attackerNumber);
    await moved.undo(link);
    const { phoneNumber, phoneNumberVerified, phones, signIn } = await row(patient);
    expect([phoneNumber, phoneNumberVerified, phones.map((phone) => phone.number)]).toEqual([number, true, [number]]);
    expect(signIn?.phoneNumber).toBeNull();
  });

  test('gets no link if it was not verified: the holder of a token could have written it', async () => {
    const [planted, own] = [people.newNumber(), people.newNumber()];
    const patient = await people.byEmail();
    const phones_attributes = [{ number: planted, primary: true }];
    const path = `/api/v1/patients/${patient.user.user_id}`;
    await bench.call('PATCH', path, { phones_attributes }, { token: patient.access_token });
    expect(await moved.move(patient, own)).toBe('');
    expect(await bench.messages(planted)).toEqual([]);
  });
});

describe('the undo page', () => {
  test('describes the effect of the link, and nothing else about the patient', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    const link = await moved.move(patient, people.newEmail());
    const { status, body } = await moved.open(link);
    expect([status, body]).toEqual([
      200,
      {
        clinic: 'Riverbend Clinic',
        kind: 'email',
        address: `${email.slice(0, 2)}…@example.test`,
        changed_at: expect.any(String),
        until: expect.any(String),
        state: 'valid',
        restored: null,
        needs: 'password',
      },
    ]);
    expect(Date.parse(body.until) - Date.parse(body.changed_at)).toBe(72 * HOUR);
    expect((await moved.open(link)).body.state).toBe('valid');
  });

  test('is over after 72 hours, and for an archived patient, also after unarchiving', async () => {
    const [early, late] = [await people.byEmail(), await people.byEmail()];
    const [first, second] = [await moved.move(early, people.newEmail()), await moved.move(late, people.newEmail())];
    await archivePatient(clinic.ctx, { id: late.user.user_id });
    expect((await moved.undo(second)).body.state).toBe('over');
    await unarchivePatient(clinic.ctx, { id: late.user.user_id });
    expect((await moved.undo(second)).body.state).toBe('over');
    bench.clock.pass(72 * HOUR - MINUTE);
    expect((await moved.open(first)).body.state).toBe('valid');
    bench.clock.pass(MINUTE);
    const { email } = await row(early);
    for (const step of [moved.open, moved.undo]) expect((await step(first)).body.state).toBe('over');
    expect((await row(early)).email).toBe(email);
  });

  test('returns not_found for an invented link and for one of another clinic', async () => {
    const link = await moved.move(await people.byEmail(), people.newEmail());
    const { ctx } = await bench.tenant();
    const elsewhere = `${Buffer.from(ctx.tenantId.replaceAll('-', ''), 'hex').toString('base64url')}.${link.split('.')[1]}`;
    for (const invalidToken of ['a.b', `${link}x`, elsewhere, 'nothing'])
      for (const step of [moved.open, moved.undo]) expect((await step(invalidToken)).status).toBe(404);
    await expect(
      getAddressChange(asAdmin(bench.services, { id: clinic.ctx.tenantId }), { token: link }),
    ).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('returns the same when it is opened again, without a second effect', async () => {
    const [email, next] = [people.newEmail(), people.newEmail()];
    const patient = await people.byEmail(email);
    const link = await moved.move(patient, next);
    const first = await moved.undo(link);
    await bench.settled();
    const mails = (await bench.messages(email)).length;
    expect((await moved.undo(link)).body).toEqual(first.body);
    expect((await moved.open(link)).body).toEqual(first.body);
    await bench.settled();
    expect((await bench.messages(email)).length).toBe(mails);
    expect(await count(patient, 'address_changes.undo')).toBe(1);
    // After the lock was lifted, it reports only that the change was undone.
    await replacePassword(email, PASSWORD, NEXT);
    expect((await moved.undo(link)).body).toMatchObject({ state: 'undone', restored: true, needs: null });
    expect((await signInWithPassword(bench, clinic.credentials, email, NEXT)).status).toBe(200);
  });

  test('writes its effect to the audit log, without an address', async () => {
    const [email, next] = [people.newEmail(), people.newEmail()];
    const patient = await people.byEmail(email);
    await moved.undo(await moved.move(patient, next));
    const entries = await clinic.ctx.db.auditEntry.findMany({
      where: { patientId: patient.user.user_id },
      omit: { position: true },
    });
    const undone = entries.find(({ action }) => action === 'address_changes.undo');
    expect(undone).toMatchObject({ actorType: 'System', actorId: 'undo_address_change' });
    expect(undone?.details).toEqual({ kind: 'email', restored: true, reset_by: 'password' });
    expect(JSON.stringify(entries)).not.toMatch(new RegExp(`${email}|${next}`));
    const change = entries.find(({ action }) => action === 'patients.change_email');
    expect(change?.details).toEqual({ by: 'device' });
    const stored = await clinic.ctx.db.$queryRaw<{ row: string }[]>`select c::text as row from address_changes c`;
    expect(JSON.stringify(stored)).not.toContain(Buffer.from(email).toString('hex'));
  });
});
