import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInboxEmulator, type RunningInbox } from '#emulators/inbox/index.ts';
import { asAdmin, asApplication, asPatient, asPractitioner, makeTenant } from '#testing/actors.ts';
import { createTestDatabase, type TestDatabase } from '#testing/database.ts';
import { testServices } from '#testing/services.ts';
import type { Context, Services } from '../core/context.ts';
import { newId } from '../core/ids.ts';
import { sendMail } from '../providers/mail.ts';
import { listMessages } from './list-messages.ts';

const TWILIO = { sid: 'AC00000000000000000000000000000001', token: 'emulated-token' };

describe('the inbox of a sandbox', () => {
  let database: TestDatabase;
  let inbox: RunningInbox;
  let services: Services;
  let staff: Context;
  let tenant: { id: string };

  beforeAll(async () => {
    database = await createTestDatabase();
    inbox = await createInboxEmulator().start();
    services = testServices(database, { SMTP_URL: inbox.smtpUrl, INBOX_URL: inbox.url });
    tenant = await makeTenant(services);
    staff = asPractitioner(services, tenant);
    await addPatient(staff, { email: 'ada@example.test', number: '+12025550101' });
    await mail('ada@example.test', 'Confirm', 'Use this code.\n\n418205\n\nOrder 2026-118205-1');
    await text('+12025550101', '774411 is your code.');
    await mail('Nobody@Example.test', 'No account', 'There is no account. https://example.test/a-123456-b');
  });
  afterAll(async () => {
    await services.database.close();
    await inbox.stop();
    await database.drop();
  });

  const mail = (to: string, subject: string, words: string) =>
    sendMail(services.config, { to, subject, text: words, html: '<script>alert(1)</script>' });
  const text = async (To: string, Body: string) => {
    const answer = await fetch(`${inbox.url}/2010-04-01/Accounts/${TWILIO.sid}/Messages.json`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${TWILIO.sid}:${TWILIO.token}`).toString('base64')}` },
      body: new URLSearchParams({ To, From: '+12025550100', Body }),
    });
    expect(answer.status).toBe(201);
  };
  const addPatient = ({ db, tenantId }: Context, { email, number }: { email: string; number: string }) => {
    const id = newId();
    const phones = { create: { id: newId(), number } };
    return db.patient.create({ data: { id, tenantId, email, phones } });
  };
  const list = (ctx: Context, input = {}) => listMessages(ctx, input).then(({ items }) => items);

  test('is read newest first, as text, with its codes', async () => {
    const items = await list(staff);
    expect(items.map(({ kind, subject, to, code }) => ({ kind, subject, to, code }))).toEqual([
      { kind: 'email', subject: 'No account', to: ['Nobody@example.test'], code: null },
      { kind: 'sms', subject: null, to: ['+12025550101'], code: '774411' },
      { kind: 'email', subject: 'Confirm', to: ['ada@example.test'], code: '418205' },
    ]);
    expect(JSON.stringify(items)).not.toContain('<script>');
  });

  test('is searched by address and words, and read piece by piece', async () => {
    expect(await list(staff, { search: 'ADA@example code' })).toMatchObject([{ subject: 'Confirm' }]);
    expect(await list(staff, { search: '2025550101' })).toMatchObject([{ kind: 'sms' }]);
    expect(await list(staff, { search: 'ada nothing' })).toEqual([]);
    const first = await listMessages(staff, { size: 1 });
    expect(first.items).toMatchObject([{ subject: 'No account' }]);
    expect(first.next).toBe(first.items[0]?.id);
  });

  test('shows each of several clinics the messages of its own people only', async () => {
    const other = await makeTenant(services, { name: 'Hillside Clinic' });
    expect(await list(asAdmin(services, other))).toEqual([]);
    expect(await list(staff)).toMatchObject([{ to: ['+12025550101'] }, { to: ['ada@example.test'] }]);
    await addPatient(asAdmin(services, other), { email: 'nobody@example.test', number: '+12025550199' });
    expect(await list(asAdmin(services, other))).toMatchObject([{ subject: 'No account' }]);
  });

  test('shows nobody but administrators what was sent to a colleague', async () => {
    const add = async (email: string) => {
      const { id } = await staff.db.staffUser.create({
        data: { id: newId(), tenantId: tenant.id, email, name: 'Cleo Example', role: 'practitioner' },
      });
      return asPractitioner(services, tenant, id);
    };
    const [cleo, dan] = [await add('cleo@example.test'), await add('dan@example.test')];
    await mail('Cleo@example.test', 'Join', 'https://care.example.test/join#token');
    const subjects = async (ctx: Context) => (await list(ctx, { search: 'cleo' })).map(({ subject }) => subject);
    expect(await subjects(cleo)).toEqual(['Join']);
    expect(await subjects(asAdmin(services, tenant))).toEqual(['Join']);
    expect(await subjects(dan)).toEqual([]);
  });

  test('is closed to applications and patients', async () => {
    for (const ctx of [asApplication(services, tenant), asPatient(services, tenant, newId())])
      await expect(list(ctx)).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('does not exist in production, nor without an address', async () => {
    const withConfig = (changes: Partial<Context['config']>) => ({
      ...staff,
      config: { ...staff.config, ...changes },
    });
    await expect(list(withConfig({ environment: 'production' }))).rejects.toMatchObject({ code: 'not_found' });
    await expect(list(withConfig({ inboxUrl: null }))).rejects.toMatchObject({ code: 'not_found' });
  });

  test('says so when it gives no answer', async () => {
    const config = { ...staff.config, inboxUrl: 'http://127.0.0.1:9' };
    await expect(list({ ...staff, config })).rejects.toMatchObject({ code: 'provider_unavailable' });
  });
});
