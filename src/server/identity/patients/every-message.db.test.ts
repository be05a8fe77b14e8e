import { afterAll, beforeAll, expect, test } from 'vitest';
import { asAdmin, asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT, register } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { PASSWORD, type SignedIn, signedIn } from '#dev/testing/signed-in.ts';
import type { PatientMessage } from '../../messages/message.ts';
import { failureKeys } from '../verification/failures.ts';
import { personKey } from '../verification/person.ts';
import { requestEmailChange } from './address-changes/request-email-change.ts';
import { helpSignIn } from './help/help-sign-in.ts';
import { invitePatient } from './invitation/invite-patient.ts';
import { setInvites } from './invitation/set-invites.ts';

const CLINIC = 'Riverbend Clinic';
const CODE = '\\d{6}';
const DEVICE = 'Firefox on Linux';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const TIME = '\\d{1,2}:\\d{2} [AP]M E[SD]T';
const DATE = `[A-Z][a-z]+ \\d{1,2}, \\d{4} at ${TIME} \\(\\d{2}:\\d{2} UTC\\)`;
/** The requesting device and the time, in the clinic's time zone and UTC. */
const ASKED = `with ${DEVICE} on ${DATE}`;

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let people: ReturnType<typeof signedIn>;
const newEmail = () => people.newEmail();
const newNumber = () => people.newNumber();

/** Lets earlier messages arrive, so that the newest one is that of the next step. */
async function aMinuteLater(): Promise<void> {
  await bench.settled();
  bench.clock.pass(60_000);
}

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  people = signedIn(bench, clinic, 'dana');
  await setInvites(asAdmin(bench.services, { id: clinic.ctx.tenantId }), { enabled: true });
});
afterAll(() => bench?.stop());

const headers = { 'user-agent': FIREFOX };
const byPassword = (path: string, body: object) =>
  bench.post(`/credentials${path}`, { client_id: clinic.credentials, ...body }, { headers });
const byText = (path: string, body: object) =>
  bench.post(`/passwordless${path}`, { client_id: clinic.passwordless, ...body }, { headers });
const signUp = (email: string) => byPassword('/sign_up', { email, attempt: ATTEMPT, srp: register(PASSWORD) });

const withPassword = (email: string) => people.byEmail(email);
async function withNumber(phone_number: string): Promise<SignedIn> {
  await people.byPhone(phone_number);
  return people.byText(phone_number, undefined, headers);
}
const change = (patient: SignedIn, path: string, body: object) =>
  people.as(patient, 'PATCH', path, { ...body, device: patient.device }, headers);
/** Changes an address on the known device. @returns the token of the undo link */
async function changed(patient: SignedIn, kind: 'email' | 'phone', before: string, after: string): Promise<string> {
  await change(patient, `/${kind}`, kind === 'email' ? { email: after } : { phone_number: after });
  const code = await bench.codeFor(after);
  await people.as(patient, 'POST', `/${kind}/verify`, { code, device: patient.device });
  await bench.settled();
  return (await bench.messages(before))[0]?.text.match(/undo#(\S+)/)?.[1] ?? '';
}
const undo = (token: string) => bench.call('POST', '/api/links/addressChanges.undo', { token });
const staff = () => asPractitioner(bench.services, { id: clinic.ctx.tenantId });

/** Makes enough wrong attempts for a lockout, each from its own source; without `PROVE`, most are inserted up front. */
async function guess(email: string): Promise<void> {
  const A = register(PASSWORD).verifier;
  const before = process.env.PROVE ? 0 : 98;
  const { ctx } = clinic;
  const { unknownDevicesInRow: key } = failureKeys(ctx, personKey(ctx, email), { ip: '', device: null });
  const row = { tenantId: ctx.tenantId, key, failures: before, failedAt: bench.clock.now(), inRow: true };
  if (before) await ctx.db.signInFailure.create({ data: row });
  for (let n = before; n < 100; n++) {
    const headers = { 'x-forwarded-for': `198.51.100.${n}` };
    const { body } = await bench.post(
      '/credentials/srp/start',
      { client_id: clinic.credentials, email, A },
      { headers },
    );
    await bench.post('/credentials/srp/finish', { handshake: body.handshake, M1: 'ab'.repeat(32) }, { headers });
  }
}

/** Subscription links are not about sign-in; see `send-checkout-links.db.test.ts`. */
type Kind = Exclude<PatientMessage['kind'], 'nothing' | 'payment_link' | 'manage_link'>;
/** How each message is triggered, and what it must say. */
const FLOWS: Record<Kind, { run(): Promise<string>; pattern: string }> = {
  sign_in_code: {
    async run() {
      const number = newNumber();
      await withNumber(number);
      return number;
    },
    pattern: `${CODE} is your sign-in code for ${CLINIC}. It works for 5 minutes. Do not share it. Asked for at ${TIME} with ${DEVICE}.`,
  },
  codes_stopped: {
    async run() {
      const [number, email] = [newNumber(), newEmail()];
      await withNumber(number);
      await clinic.ctx.db.patient.updateMany({ where: { signIn: { phoneNumber: number } }, data: { email } });
      await bench.writeBack(number, 'STOP');
      await aMinuteLater();
      await byText('/sign_in', { phone_number: number });
      return email;
    },
    pattern: `A code to sign in was asked for.*text START from your phone to \\+12025550100`,
  },
  phone_code: {
    async run() {
      const [first, second] = [newNumber(), newNumber()];
      await change(await withNumber(first), '/phone', { phone_number: second });
      return second;
    },
    pattern: `${CODE} is your code to use this number with ${CLINIC}. It works for 5 minutes. Do not share it. Asked for at ${TIME} with ${DEVICE}.`,
  },
  phone_in_use: {
    async run() {
      const [own, taken] = [newNumber(), newNumber()];
      await withNumber(taken);
      await aMinuteLater();
      await change(await withNumber(own), '/phone', { phone_number: taken });
      return taken;
    },
    pattern: `${CLINIC}: this number already signs in to another account`,
  },
  phone_invitation: {
    async run() {
      const phone_number = newNumber();
      await invitePatient(asPractitioner(bench.services, { id: clinic.ctx.tenantId }), { phone_number });
      return phone_number;
    },
    pattern: `${CLINIC} has set up an account for you. Sign in to its app with this phone number.`,
  },
  confirmation_code: {
    async run() {
      const email = newEmail();
      await signUp(email);
      return email;
    },
    pattern: `confirm your email address.*24 hours.*sign-up ${ASKED}, and works only there.*${CODE}.*ignore this email`,
  },
  already_signed_up: {
    async run() {
      const email = newEmail();
      await withPassword(email);
      await aMinuteLater();
      await signUp(email);
      return email;
    },
    pattern: `there is one already.*asked for ${ASKED}.*Nothing was changed`,
  },
  no_account: {
    async run() {
      const email = newEmail();
      await byPassword('/resend', { email });
      return email;
    },
    pattern: `there is no account that needs one.*asked for ${ASKED}`,
  },
  sign_up_elsewhere: {
    async run() {
      const email = newEmail();
      await signUp(email);
      await aMinuteLater();
      await byPassword('/resend', { email });
      return email;
    },
    pattern: `device that has not signed up.*asked for ${ASKED}.*use the device where you signed up, or sign up again`,
  },
  confirm_first: {
    async run() {
      const email = newEmail();
      await signUp(email);
      await aMinuteLater();
      await byPassword('/reset', { email, attempt: ATTEMPT });
      return email;
    },
    pattern: `has not been confirmed yet.*asked for ${ASKED}.*use the code of your sign-up, or sign up again`,
  },
  reset_code: {
    async run() {
      const email = newEmail();
      await withPassword(email);
      await aMinuteLater();
      await byPassword('/reset', { email, attempt: ATTEMPT });
      return email;
    },
    pattern: `set a new password.*5 minutes.*asked for ${ASKED}, and works only there.*${CODE}`,
  },
  password_changed: {
    async run() {
      const email = await FLOWS.reset_code.run();
      await byPassword('/reset/complete', {
        email,
        attempt: ATTEMPT,
        code: await bench.codeFor(email),
        srp: register(PASSWORD),
      });
      return email;
    },
    pattern: 'was changed, and other devices were signed out.*If this was not you',
  },
  sign_in_closed: {
    async run() {
      const email = newEmail();
      await withPassword(email);
      await guess(email);
      return email;
    },
    pattern: 'None of them was right.*/new-devices#\\S+.*works once, for 3 days',
  },
  sign_in_tried: {
    async run() {
      const email = newEmail();
      await guess(email);
      return email;
    },
    pattern: 'tried many passwords.*there is no account with it',
  },
  email_code: {
    async run() {
      const [before, after] = [newEmail(), newEmail()];
      await change(await withPassword(before), '/email', { email: after });
      return after;
    },
    pattern: `sign in with this email address from now on.*24 hours.*asked for ${ASKED}, and works only there.*${CODE}`,
  },
  email_changed: {
    async run() {
      const [before, after] = [newEmail(), newEmail()];
      await changed(await withPassword(before), 'email', before, after);
      return before;
    },
    pattern: 'has a new email address; this one is no longer used.*open this page.*/undo#.*72 hours',
  },
  email_asked: {
    async run() {
      const email = newEmail();
      const { user } = await withPassword(newEmail());
      const request = { patient_id: user.user_id, email, identity_check: 'Seen at the front desk' };
      await requestEmailChange(staff(), request);
      return email;
    },
    pattern: 'wants to use this email address for your account.*/confirm-email#.*works until.*nothing changes',
  },
  phone_changed: {
    async run() {
      const [before, after] = [newNumber(), newNumber()];
      await changed(await withNumber(before), 'phone', before, after);
      return before;
    },
    pattern: 'has a new phone number. Not you. Undo it within 72 hours: http.*/undo#',
  },
  proof_code: {
    async run() {
      const email = newEmail();
      await aMinuteLater();
      const patient = await withPassword(email);
      await aMinuteLater();
      await people.as(patient, 'POST', '/proof/code', {});
      return email;
    },
    pattern: `wants to change its email address or phone number.*5 minutes.*${CODE}.*nothing changes without it`,
  },
  change_undone: {
    async run() {
      const [before, after] = [newEmail(), newEmail()];
      await undo(await changed(await withPassword(before), 'email', before, after));
      return before;
    },
    pattern: 'was undone, and all devices were signed out. To sign in again, use your password',
  },
  sign_in_paused: {
    async run() {
      const [before, after] = [newNumber(), newNumber()];
      await undo(await changed(await withNumber(before), 'phone', before, after));
      await aMinuteLater();
      await byText('/sign_in', { phone_number: before });
      return before;
    },
    pattern: 'a change to your account was undone and sign-in is paused. Please contact us',
  },
  phone_helped: {
    async run() {
      const phone_number = newNumber();
      const { user } = await withNumber(newNumber());
      await helpSignIn(staff(), { patient_id: user.user_id, identity_check: 'Passport, seen', phone_number });
      return phone_number;
    },
    pattern: 'from now on you sign in to the app with this phone number',
  },
  email_helped: {
    async run() {
      const email = newEmail();
      const { user } = await withPassword(newEmail());
      await helpSignIn(staff(), { patient_id: user.user_id, identity_check: 'Passport, seen', email });
      return email;
    },
    pattern: 'helps you to sign in again.*/invitation#care_sandbox_.*works until.*UTC.*[a-z2-9]{4}(-[a-z2-9]{4}){3}',
  },
  sign_in_moved: {
    async run() {
      const before = newEmail();
      const { user } = await withPassword(before);
      const input = { identity_check: 'Passport, seen', phone_number: newNumber() };
      await helpSignIn(staff(), { patient_id: user.user_id, ...input });
      return before;
    },
    pattern: 'changed how you sign in.*no longer used for it.*tell Riverbend Clinic at once',
  },
  email_in_use: {
    async run() {
      const [own, taken] = [newEmail(), newEmail()];
      await withPassword(taken);
      await aMinuteLater();
      await change(await withPassword(own), '/email', { email: taken });
      return taken;
    },
    pattern: `asked for ${ASKED}.*belongs to your account already, so nothing was changed`,
  },
  invitation: {
    async run() {
      const email = newEmail();
      await invitePatient(asPractitioner(bench.services, { id: clinic.ctx.tenantId }), { email });
      return email;
    },
    pattern: `has set up an account for you.*/invitation#care_sandbox_.*works until ${DATE}:.*[a-z2-9]{4}(-[a-z2-9]{4}){3}`,
  },
};

test.each(Object.entries(FLOWS))('%s reaches its recipient in plain language', async (_, flow) => {
  const to = await flow.run();
  await bench.settled();
  const [message] = await bench.messages(to);
  expect(message?.to).toEqual([to]);
  expect(message?.text.replaceAll('\n', ' ')).toMatch(new RegExp(flow.pattern));
  if (to.startsWith('+')) {
    expect(message?.kind).toBe('sms');
    // One text message; two where it has to include a link.
    expect(message?.text.length).toBeLessThanOrEqual(message?.text.includes('/undo#') ? 2 * 153 : 160);
    return;
  }
  expect(message?.kind).toBe('email');
  expect(message?.subject).toMatch(new RegExp(`^${CLINIC}( invites you|: \\S)`));
  const words = (message?.html ?? '')
    .replace(/<title>.*<\/title>/, '')
    .replace(/<a href="([^"]+)">[^<]*<\/a>/, '$1')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  expect(words).toBe(message?.text.replace(/\s+/g, ' ').trim());
});

test('an unknown number that requests a code by text gets no message', async () => {
  const phone_number = newNumber();
  await byText('/sign_in', { phone_number });
  await bench.settled();
  expect(await bench.messages(phone_number)).toEqual([]);
});
