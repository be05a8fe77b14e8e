import { afterAll, beforeAll, expect, test } from 'vitest';
import { asAdmin, asPractitioner } from '#testing/actors.ts';
import { register, signInWithPassword } from '#testing/password-client.ts';
import { type SignInBench, startSignInBench } from '#testing/patient-sign-in.ts';
import type { PatientMessage } from '../messages/message.ts';
import { invitePatient } from './invitation/invite-patient.ts';
import { setInvites } from './invitation/set-invites.ts';

const PASSWORD = 'correct horse battery staple';
const CLINIC = 'Riverbend Clinic';
const CODE = '\\d{6}';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let people = 0;
const newEmail = () => `dana${++people}@example.test`;
const newNumber = () => `+131055501${String(++people).padStart(2, '0')}`;

beforeAll(async () => {
  bench = await startSignInBench();
  clinic = await bench.tenant();
  await setInvites(asAdmin(bench.services, { id: clinic.ctx.tenantId }), { enabled: true });
});
afterAll(() => bench?.stop());

const byPassword = (path: string, body: object) =>
  bench.post(`/credentials${path}`, { client_id: clinic.credentials, ...body });
const byText = (path: string, body: object) =>
  bench.post(`/passwordless${path}`, { client_id: clinic.passwordless, ...body });
const signUp = (email: string) => byPassword('/sign_up', { email, srp: register(PASSWORD) });

async function withPassword(email: string): Promise<string> {
  await signUp(email);
  await byPassword('/confirm', { email, code: await bench.codeFor(email) });
  return (await signInWithPassword(bench, clinic.credentials, email, PASSWORD)).body.access_token;
}
async function withNumber(phone_number: string): Promise<string> {
  await byText('/sign_up', { phone_number });
  const { body } = await byText('/sign_in', { phone_number });
  const code = await bench.codeFor(phone_number);
  return (await bench.post('/passwordless/complete', { challenge: body.challenge, code })).body.access_token;
}
const change = (token: string, path: string, body: object) =>
  bench.call('PATCH', `/identity/user${path}`, body, { token });

/** As often as closes sign-in, from as many places. */
async function guess(email: string): Promise<void> {
  const A = register(PASSWORD).verifier;
  for (let n = 0; n < 100; n++) {
    const headers = { 'x-forwarded-for': `198.51.100.${n}` };
    const { body } = await bench.post(
      '/credentials/srp/start',
      { client_id: clinic.credentials, email, A },
      { headers },
    );
    await bench.post('/credentials/srp/finish', { handshake: body.handshake, M1: 'ab'.repeat(32) }, { headers });
  }
}

type Kind = Exclude<PatientMessage['kind'], 'nothing'>;
/** What makes each message, and where it must arrive. */
const FLOWS: Record<Kind, { run(): Promise<string>; says: string }> = {
  sign_in_code: {
    async run() {
      const number = newNumber();
      await withNumber(number);
      return number;
    },
    says: `${CODE} is your sign-in code for ${CLINIC}. It works for 5 minutes. Give it to nobody.`,
  },
  phone_code: {
    async run() {
      const [first, second] = [newNumber(), newNumber()];
      await change(await withNumber(first), '/phone', { phone_number: second });
      return second;
    },
    says: `${CODE} is your code to use this number with ${CLINIC}. It works for 5 minutes. Give it to nobody.`,
  },
  phone_in_use: {
    async run() {
      const [own, foreign] = [newNumber(), newNumber()];
      await withNumber(foreign);
      bench.clock.pass(60_000);
      await change(await withNumber(own), '/phone', { phone_number: foreign });
      return foreign;
    },
    says: `${CLINIC}: this number already signs in to another account`,
  },
  phone_invitation: {
    async run() {
      const phone_number = newNumber();
      await invitePatient(asPractitioner(bench.services, { id: clinic.ctx.tenantId }), { phone_number });
      return phone_number;
    },
    says: `${CLINIC} has set up an account for you. Sign in to its app with this phone number.`,
  },
  confirmation_code: {
    async run() {
      const email = newEmail();
      await signUp(email);
      return email;
    },
    says: `confirm your e-mail address.*24 hours.*${CODE}.*ignore this e-mail`,
  },
  already_signed_up: {
    async run() {
      const email = newEmail();
      await withPassword(email);
      bench.clock.pass(60_000);
      await signUp(email);
      return email;
    },
    says: 'there is one already.*Nothing was changed',
  },
  no_account: {
    async run() {
      const email = newEmail();
      await byPassword('/resend', { email });
      return email;
    },
    says: 'there is no account that needs one',
  },
  reset_code: {
    async run() {
      const email = newEmail();
      await withPassword(email);
      bench.clock.pass(60_000);
      await byPassword('/reset', { email });
      return email;
    },
    says: `set a new password.*5 minutes.*${CODE}`,
  },
  password_changed: {
    async run() {
      const email = await FLOWS.reset_code.run();
      await byPassword('/reset/complete', { email, code: await bench.codeFor(email), srp: register(PASSWORD) });
      return email;
    },
    says: 'was changed, and other devices were signed out.*If this was not you',
  },
  sign_in_closed: {
    async run() {
      const email = newEmail();
      await withPassword(email);
      await guess(email);
      return email;
    },
    says: 'None of them was right.*/new-devices#\\S+.*works once, for 3 days',
  },
  sign_in_tried: {
    async run() {
      const email = newEmail();
      await guess(email);
      return email;
    },
    says: 'tried many passwords.*there is no account with it',
  },
  email_code: {
    async run() {
      const [before, after] = [newEmail(), newEmail()];
      await change(await withPassword(before), '/email', { email: after });
      return after;
    },
    says: `sign in with this e-mail address from now on.*24 hours.*${CODE}`,
  },
  email_changed: {
    async run() {
      const [before, after] = [newEmail(), newEmail()];
      const token = await withPassword(before);
      await change(token, '/email', { email: after });
      const code = await bench.codeFor(after);
      await bench.call('POST', '/identity/user/email/verify', { code }, { token });
      return before;
    },
    says: 'has a new e-mail address; this one is no longer used.*tell Riverbend Clinic at once',
  },
  email_in_use: {
    async run() {
      const [own, foreign] = [newEmail(), newEmail()];
      await withPassword(foreign);
      bench.clock.pass(60_000);
      await change(await withPassword(own), '/email', { email: foreign });
      return foreign;
    },
    says: 'belongs to your account already, so nothing was changed',
  },
  invitation: {
    async run() {
      const email = newEmail();
      await invitePatient(asPractitioner(bench.services, { id: clinic.ctx.tenantId }), { email });
      return email;
    },
    says: `has set up an account for you.*/invitation#care_sandbox_.*7 days.*[a-z2-9]{4}(-[a-z2-9]{4}){3}`,
  },
};

test.each(Object.entries(FLOWS))('%s arrives where it belongs, and says it in plain words', async (_, flow) => {
  const to = await flow.run();
  await bench.settled();
  const [message] = await bench.messages(to);
  expect(message?.to).toEqual([to]);
  expect(message?.text.replaceAll('\n', ' ')).toMatch(new RegExp(flow.says));
  if (to.startsWith('+')) {
    expect(message?.kind).toBe('sms');
    expect(message?.text.length).toBeLessThanOrEqual(160);
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

test('somebody unknown who asks for a code by text is sent nothing', async () => {
  const phone_number = newNumber();
  await byText('/sign_in', { phone_number });
  await bench.settled();
  expect(await bench.messages(phone_number)).toEqual([]);
});
