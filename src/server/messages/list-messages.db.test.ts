import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin, asApplication, asPatient, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { RunningInbox } from '#emulators/inbox/index.ts';
import type { Context, Services } from '../core/context.ts';
import { newId } from '../core/ids.ts';
import type { Stamp } from '../providers/inbox.ts';
import { sendMail } from '../providers/mail.ts';
import { sendSms } from '../providers/sms.ts';
import { listMessages, replyToMessage } from './inbox.ts';

describe('the inbox of a sandbox', () => {
  let clinic: Clinic<'inbox'>;
  let inbox: RunningInbox;
  let services: Services;
  let staff: Context;
  let tenant: { id: string };

  beforeAll(async () => {
    clinic = await withClinic({ inbox: true, twilio: true });
    ({ services, inbox, tenant } = clinic);
    staff = asPractitioner(services, tenant);
    await mail('ada@example.test', 'Confirm', 'Use this code.\n\n418205\n\nOrder 2026-118205-1');
    await text('+12025550101', '774411 is your code.');
    await text('+12025550102', '0123456789 is your code. Questions? +12025550100.');
    const links = 'https://example.test/a-123456-b https://example.test/visit#1764000000.x~a.b';
    await mail('Unknown@Example.test', 'No account', `There is no account. ${links}`);
  });
  afterAll(() => clinic?.stop());

  const mail = (to: string, subject: string, words: string, stamp: Stamp = { tenantId: tenant.id }) =>
    sendMail(services, { to, subject, text: words, html: '<script>alert(1)</script>', stamp });
  const text = (to: string, words: string, stamp: Stamp = { tenantId: tenant.id }) =>
    sendSms(services.config, { to, text: words, stamp });
  const list = (ctx: Context, input = {}) => listMessages(ctx, input).then(({ items }) => items);

  test('lists messages newest first, as text, with their codes', async () => {
    const items = await list(staff);
    expect(items.map(({ kind, subject, to, code }) => ({ kind, subject, to, code }))).toEqual([
      { kind: 'email', subject: 'No account', to: ['Unknown@example.test'], code: null },
      { kind: 'sms', subject: null, to: ['+12025550102'], code: '0123456789' },
      { kind: 'sms', subject: null, to: ['+12025550101'], code: '774411' },
      { kind: 'email', subject: 'Confirm', to: ['ada@example.test'], code: '418205' },
    ]);
    expect(JSON.stringify(items)).not.toContain('<script>');
  });

  test('reports the patients whose messages are shown to the audit log', async () => {
    const patients = ['ada@example.test', null].map((email) => ({
      id: newId(),
      tenantId: tenant.id,
      email,
      phoneNumber: email ? null : '+12025550101',
    }));
    for (const data of patients) await staff.db.patient.create({ data });
    const reader = asPractitioner(services, tenant);
    await list(reader, { search: 'ada' });
    expect([...reader.trail.patients]).toEqual([patients[0]!.id]);
    await list(reader);
    expect([...reader.trail.patients].sort()).toEqual(patients.map(({ id }) => id).sort());
  });

  test('filters by address and text, and returns pages', async () => {
    expect(await list(staff, { search: 'ADA@example code' })).toMatchObject([{ subject: 'Confirm' }]);
    expect(await list(staff, { search: '2025550101' })).toMatchObject([{ kind: 'sms' }]);
    expect(await list(staff, { search: 'ada nothing' })).toEqual([]);
    const first = await listMessages(staff, { size: 1 });
    expect(first.items).toMatchObject([{ subject: 'No account' }]);
    expect(first.next).toBe(first.items[0]?.id);
  });

  test('shows each of several clinics only its own messages, even for a shared address', async () => {
    const other = await makeTenant(services, { name: 'Hillside Clinic' });
    const patient = { id: newId(), tenantId: other.id, email: 'ada@example.test' };
    await asAdmin(services, other).db.patient.create({ data: patient });
    expect(await list(asAdmin(services, other))).toEqual([]);
    await mail('ada@example.test', 'From Hillside', 'Hello', { tenantId: other.id });
    await text('+12025550101', 'Hillside says hello.', { tenantId: other.id });
    expect((await list(asAdmin(services, other))).map(({ subject }) => subject)).toEqual([null, 'From Hillside']);
    expect(JSON.stringify(await list(staff))).not.toContain('Hillside');
  });

  test('shows no message without a tenant, also in a sandbox with one clinic', async () => {
    const silent = { ...services.config, inboxUrl: null };
    const stamp = { tenantId: tenant.id };
    await sendMail(
      { ...services, config: silent },
      { to: 'ada@example.test', subject: 'Unsaid', text: 'Hello', stamp },
    );
    await sendSms(silent, { to: '+12025550101', text: 'Unsaid', stamp });
    const transport = createTransport(inbox.smtpUrl);
    const twice = ['first', 'second'].map(() => ({ key: 'X-Carelane-Tenant', value: tenant.id }));
    await transport.sendMail({ to: 'ada@example.test', subject: 'Unsaid', text: 'Hello', headers: twice });
    transport.close();
    expect(inbox.world.state.messages.filter((one) => `${one.subject}${one.text}`.includes('Unsaid'))).toHaveLength(3);
    expect(JSON.stringify(await list(asAdmin(services, tenant)))).not.toContain('Unsaid');
  });

  test('sends no tenant or staff id to a real provider', async () => {
    const production = { ...services.config, environment: 'production' as const };
    await sendMail(
      { ...services, config: production },
      { to: 'eve@example.test', subject: 'S', text: 'T', stamp: { tenantId: tenant.id } },
    );
    expect(inbox.world.state.messages.at(-1)).toMatchObject({ subject: 'S', tenant: null, staff: null });
  });

  test('shows a colleague’s messages to admins only, by the id in the message', async () => {
    const [cleo, dan] = [newId(), newId()];
    // The same address as a patient's: a message to the patient is not a colleague's.
    await mail('Cleo@example.test', 'For a patient', 'Hello');
    await mail('Cleo@example.test', 'Join', 'https://care.example.test/join#token', {
      tenantId: tenant.id,
      staffUserId: cleo,
    });
    const subjects = async (ctx: Context) => (await list(ctx, { search: 'cleo' })).map(({ subject }) => subject);
    expect(await subjects(asPractitioner(services, tenant, cleo))).toEqual(['Join', 'For a patient']);
    expect(await subjects(asAdmin(services, tenant))).toEqual(['Join', 'For a patient']);
    expect(await subjects(asPractitioner(services, tenant, dan))).toEqual(['For a patient']);
  });

  test('accepts a reply to a text message of the clinic only', async () => {
    const [sms] = await list(staff, { search: '774411' });
    await replyToMessage(staff, { id: sms!.id, text: 'STOP' });
    await expect(text('+12025550101', 'Again')).rejects.toMatchObject({ twilioCode: 21610 });
    await replyToMessage(staff, { id: sms!.id, text: 'START' });
    await text('+12025550101', 'Again');
    const [mailed] = await list(staff, { search: 'Confirm' });
    const other = asPractitioner(services, await makeTenant(services));
    for (const [ctx, id] of [
      [staff, mailed!.id],
      [staff, 'none'],
      [other, sms!.id],
    ] as const)
      await expect(replyToMessage(ctx, { id, text: 'STOP' })).rejects.toMatchObject({ code: 'not_found' });
  });

  test('rejects applications and patients', async () => {
    for (const ctx of [asApplication(services, tenant), asPatient(services, tenant, newId())])
      await expect(list(ctx)).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('returns not_found in production and without an inbox URL', async () => {
    const withConfig = (changes: Partial<Context['config']>) => ({
      ...staff,
      config: { ...staff.config, ...changes },
    });
    await expect(list(withConfig({ environment: 'production' }))).rejects.toMatchObject({ code: 'not_found' });
    await expect(list(withConfig({ inboxUrl: null }))).rejects.toMatchObject({ code: 'not_found' });
  });

  test('returns provider_unavailable when the inbox does not respond', async () => {
    const config = { ...staff.config, inboxUrl: 'http://127.0.0.1:9' };
    await expect(list({ ...staff, config })).rejects.toMatchObject({ code: 'provider_unavailable' });
  });
});
