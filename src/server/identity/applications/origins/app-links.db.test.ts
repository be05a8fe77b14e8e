import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asAdmin, asApplication, asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT as attempt, prove, register } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import type { Context } from '#server/core/context.ts';
import { createPatient } from '#server/patients/create-patient.ts';
import { inviteExisting } from '../../patients/invitation/invite-existing.ts';
import { invitePatient } from '../../patients/invitation/invite-patient.ts';
import { resendInvitation } from '../../patients/invitation/resend-invitation.ts';
import { setAllowedOrigins } from './allowed-origins.ts';
import { getAppAddresses, setAppAddresses } from './app-addresses.ts';

const APP = 'https://app.example.test';
const NONE = { invitation: null, reset: null, confirmation: null };
const OWN = 'another quite long passphrase';

describe('links into the clinic’s own app', () => {
  let bench: SignInBench;
  let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
  let admin: Context;
  let app: Context;
  let count = 0;
  const newEmail = () => `ada${++count}@example.test`;
  const newNumber = () => `+1202555${String(100 + ++count).padStart(4, '0')}`;

  beforeAll(async () => {
    bench = withSignIn(await withClinic(SIGN_IN));
    clinic = await bench.tenant();
    const tenant = { id: clinic.ctx.tenantId };
    admin = asAdmin(bench.services, tenant);
    app = asApplication(bench.services, tenant, ['patients:write']);
    await clinic.ctx.db.tenant.update({ where: tenant, data: { invitesEnabled: true } });
  });
  beforeEach(async () => {
    await setAllowedOrigins(admin, { origins: [APP] });
    await setAppAddresses(admin, NONE);
  });
  afterAll(() => bench?.stop());

  const source = () => ({ headers: { 'x-forwarded-for': `192.0.2.${++count}` } });
  const newest = async (to: string) => {
    await bench.settled();
    return (await bench.messages(to))[0]!;
  };
  /** The only link of a message: its page, and the content of the configuration token in its fragment. */
  const linkIn = ({ text, html }: { text: string; html: string }) => {
    const links = text.match(/https?:\/\/\S+/g) ?? [];
    expect(links.length).toBeLessThan(2);
    const [page = null, fragment] = links[0]?.split('#') ?? [];
    // Carelane's own page also finds the invited patient in the fragment.
    const [token] = fragment?.split('~') ?? [];
    if (token && html) expect(html).toContain(`href="${links[0]}"`);
    return { page, content: token && JSON.parse(Buffer.from(token.split('_')[2]!, 'base64url').toString()) };
  };
  const credentialsToken = () => ({
    v: 1,
    flow: 'credentials',
    client_id: clinic.credentials,
    auth: `${bench.url}/identity`,
  });

  test('an invitation links to the app with the SDK configuration and no patient data', async () => {
    await setAppAddresses(admin, { ...NONE, invitation: `${APP}/join?from=mail` });
    const email = newEmail();
    await invitePatient(app, { email });
    const mail = await newest(email);
    const { page, content } = linkIn(mail);
    expect(page).toBe(`${APP}/join?from=mail`);
    expect(content).toMatchObject(credentialsToken());
    const password = mail.text.match(/\b[a-z2-9]{4}(?:-[a-z2-9]{4}){3}\b/)?.[0] ?? '';
    expect(mail.text.match(/https?:\/\/\S+/)?.[0]).not.toMatch(new RegExp(`${password}|ada|%40|@`));
    const proof = await prove(bench, content.client_id, email, password);
    const { body } = await bench.post('/credentials/srp/finish', proof.body);
    const srp = register(OWN, proof.started.body.identity);
    const response = await bench.post('/credentials/complete_invitation', { continuation: body.continuation, srp });
    expect(response.status).toBe(200);
  });

  test('without an address, each message links to our page or has no link', async () => {
    const [email, number, other] = [newEmail(), newNumber(), newEmail()];
    await invitePatient(app, { email });
    await invitePatient(app, { phone_number: number });
    await bench.post(
      '/credentials/sign_up',
      { client_id: clinic.credentials, email: other, attempt, srp: register(OWN) },
      source(),
    );
    expect(linkIn(await newest(email)).page).toBe(`${bench.url}/invitation`);
    expect(linkIn(await newest(number)).page).toBeNull();
    expect(linkIn(await newest(other)).page).toBeNull();
    expect((await newest(other)).text).not.toContain('on this page');
  });

  test('emails with a code link to their own pages, without the code', async () => {
    await setAppAddresses(admin, { invitation: null, reset: `${APP}/reset`, confirmation: `${APP}/confirm` });
    const email = newEmail();
    const client_id = clinic.credentials;
    await bench.post('/credentials/sign_up', { client_id, email, attempt, srp: register(OWN) }, source());
    const confirm = await newest(email);
    expect(linkIn(confirm)).toMatchObject({ page: `${APP}/confirm`, content: credentialsToken() });
    const code = await bench.codeFor(email);
    expect(confirm.text.match(/https\S+/)?.[0]).not.toContain(code);
    await bench.post('/credentials/confirm', { client_id, email, attempt, code }, source());
    bench.clock.pass(3_600_000);
    await bench.post('/credentials/reset', { client_id, email, attempt }, source());
    expect(linkIn(await newest(email))).toMatchObject({ page: `${APP}/reset`, content: credentialsToken() });
    const unknown = newEmail();
    await bench.post('/credentials/reset', { client_id, email: unknown, attempt }, source());
    expect(linkIn(await newest(unknown)).page).toBeNull();
  });

  test('an invitation may set its own link, which later sends reuse', async () => {
    await setAppAddresses(admin, { ...NONE, invitation: `${APP}/join` });
    const [email, number] = [newEmail(), newNumber()];
    const confirmation_url = `${APP}/spring`;
    const passwordless_login_url = `${APP}/texted`;
    const { id } = await invitePatient(app, { email, confirmation_url, passwordless_login_url });
    await invitePatient(app, { phone_number: number, confirmation_url, passwordless_login_url });
    expect(linkIn(await newest(email)).page).toBe(confirmation_url);
    expect(linkIn(await newest(number))).toEqual({ page: passwordless_login_url, content: undefined });
    await bench.post('/credentials/resend', { client_id: clinic.credentials, email }, source());
    await bench.settled();
    expect(await bench.messages(email)).toHaveLength(2);
    expect(linkIn(await newest(email)).page).toBe(confirmation_url);
    const staff = asPractitioner(bench.services, { id: clinic.ctx.tenantId });
    await resendInvitation(staff, { id });
    expect(linkIn(await newest(email)).page).toBe(confirmation_url);
    await inviteExisting(app, { id });
    expect(linkIn(await newest(email)).page).toBe(confirmation_url);
    await inviteExisting(app, { id, confirmation_url: null });
    expect(linkIn(await newest(email)).page).toBe(`${APP}/join`);
    expect(await bench.messages(email)).toHaveLength(5);
  });

  test('a text message with a short address fits into one part of 160 characters', async () => {
    await setAppAddresses(admin, { ...NONE, invitation: `${APP}/join` });
    const number = newNumber();
    const { id } = await createPatient(app, { phone_number: number });
    await inviteExisting(app, { id });
    const { text } = await newest(number);
    expect(text).toBe(`Riverbend Clinic has set up an account for you. Sign in with this phone number: ${APP}/join`);
    expect(text.length).toBeLessThanOrEqual(160);
  });

  test('uses an address only while its website is listed', async () => {
    await setAppAddresses(admin, { ...NONE, invitation: `${APP}/join` });
    const email = newEmail();
    const { id } = await invitePatient(app, { email, confirmation_url: `${APP}/spring` });
    await setAllowedOrigins(admin, { origins: ['https://other.example.test'] });
    await inviteExisting(app, { id });
    expect(linkIn(await newest(email)).page).toBe(`${bench.url}/invitation`);
    expect(await getAppAddresses(admin)).toMatchObject({ invitation: `${APP}/join` });
    await setAllowedOrigins(admin, { origins: [APP] });
    await inviteExisting(app, { id });
    expect(linkIn(await newest(email)).page).toBe(`${APP}/spring`);
  });

  test('rejects addresses on other websites with the field name: in the settings and at each invitation', async () => {
    const elsewhere = 'https://elsewhere.example.test/join';
    const error = {
      code: 'invalid_parameter',
      detail: expect.stringContaining('https://elsewhere.example.test is not among'),
    };
    const wrong = { invitation: elsewhere, reset: `${APP}/reset`, confirmation: elsewhere };
    await expect(setAppAddresses(admin, wrong)).rejects.toMatchObject({
      faults: [
        { ...error, source: { pointer: '/invitation' } },
        { ...error, source: { pointer: '/confirmation' } },
      ],
    });
    expect(await getAppAddresses(admin)).toEqual(NONE);
    const { id } = await createPatient(app, { email: newEmail() });
    const urls = { confirmation_url: elsewhere, passwordless_login_url: elsewhere };
    const faults = [
      { ...error, source: { pointer: '/confirmation_url' } },
      { ...error, source: { pointer: '/passwordless_login_url' } },
    ];
    await expect(inviteExisting(app, { id, ...urls })).rejects.toMatchObject({ faults });
    const email = newEmail();
    await expect(invitePatient(app, { email, ...urls })).rejects.toMatchObject({ faults });
    expect(await clinic.ctx.db.patient.count({ where: { email } })).toBe(0);
    expect(await clinic.ctx.db.patientSignIn.count({ where: { patientId: id } })).toBe(0);
  });

  test('localhost counts as listed in a sandbox only', async () => {
    const local = { ...NONE, invitation: 'http://localhost:5173/join' };
    expect(await setAppAddresses(admin, local)).toEqual(local);
    const email = newEmail();
    await invitePatient(app, { email });
    expect(linkIn(await newest(email)).page).toBe(local.invitation);
    const production = { ...admin, config: { ...admin.config, environment: 'production' as const } };
    await expect(setAppAddresses(production, local)).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  test('is limited to admins, separate for each clinic, and audited', async () => {
    for (const ctx of [app, asPractitioner(bench.services, { id: clinic.ctx.tenantId })]) {
      await expect(getAppAddresses(ctx)).rejects.toMatchObject({ code: 'forbidden' });
      await expect(setAppAddresses(ctx, NONE)).rejects.toMatchObject({ code: 'forbidden' });
    }
    const set = { ...NONE, reset: `${APP}/reset` };
    await setAppAddresses(admin, set);
    const other = await bench.tenant();
    expect(await getAppAddresses(other.ctx)).toEqual(NONE);
    const [entry] = await clinic.ctx.db.auditEntry.findMany({ orderBy: { position: 'desc' }, take: 1 });
    expect(entry).toMatchObject({ action: 'applications.set_app_addresses', details: set });
  });
});
