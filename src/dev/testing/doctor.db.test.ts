import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REPAIRABLE_FINDINGS } from '#contract/repairable-findings.ts';
import { BREAKS } from '#emulators/acuity/breaks.ts';
import { newId } from '#server/core/ids.ts';
import { checkAcuity } from '#server/integrations/check-integration.ts';
import { repairAcuity } from '#server/integrations/router.ts';
import { bookAppointment } from '#server/scheduling/booking/book-appointment.ts';
import { receiveAcuityWebhook } from '#server/scheduling/sync/acuity-webhook.ts';
import { asAdmin, asApplication, asPractitioner } from './actors.ts';
import { type Clinic, withClinic } from './clinic.ts';
import { dayAhead, errorOf, FOLLOW_UP, LONG_APPOINTMENT, makePatient, ROWAN } from './scheduling.ts';

const SIGN_INS = ['rowan', 'alder', 'juniper'].map((name) => `${name}@clinic.example.test`);

let clinic: Clinic<'acuity'>;
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  await receiveAcuityWebhook(clinic.services, {
    tenantId: clinic.tenant.id,
    rawBody: Buffer.concat(chunks).toString(),
    header: (name) => (request.headers[name] as string | undefined) ?? null,
  });
  response.writeHead(204).end();
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  clinic = await withClinic({
    acuity: true,
    env: { PUBLIC_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
  });
  await clinic.ctx.db.staffUser.createMany({
    data: SIGN_INS.map((email) => ({
      id: newId(),
      tenantId: clinic.tenant.id,
      email,
      name: email,
      role: 'practitioner',
      passwordHash: null,
    })),
  });
  await clinic.acuity.control('PATCH', `accounts/${clinic.acuity.account.user_id}`, {
    calendars: [ROWAN, ROWAN + 1, ROWAN + 2].map((id, index) => ({
      id,
      name: `Calendar ${id}`,
      email: SIGN_INS[index],
    })),
  });
});
afterAll(async () => {
  server.close();
  await clinic?.stop();
});

const admin = () => asAdmin(clinic.services, clinic.tenant);
/** Runs the check at a later time. */
const check = (laterMs = 0) => checkAcuity({ ...admin(), clock: { now: () => new Date(Date.now() + laterMs) } });
const faults = async (laterMs = 0) => (await check(laterMs)).findings.filter(({ advice }) => !advice);
const breakSetting = (code: string) =>
  clinic.acuity.control('POST', 'trigger', { name: 'break', account: clinic.acuity.account.user_id, code });
const repair = (code: string, object_id: string | null) => repairAcuity(admin(), { code, object_id });

describe('each broken prerequisite is one finding, and none once repaired', () => {
  test('returns only advice when nothing is broken', async () => {
    const view = await check();
    expect(view).toMatchObject({ status: 'connected' });
    expect(view.findings.map(({ code }) => code)).toEqual(['provider_mails_unknown']);
  });

  test.each(Object.keys(BREAKS).filter((code) => code !== 'webhooks_silent'))('%s', async (code) => {
    await breakSetting(code);
    const findings = await faults();
    expect(findings.map((finding) => finding.code)).toEqual([code]);
    // Administrators read these messages.
    expect(findings[0]!.message).not.toContain('tell an administrator');
    if (/[Nn]othing can be booked|cannot be written/.test(findings[0]!.message))
      expect(await check()).toMatchObject({ status: 'degraded' });
    expect(findings[0]).toMatchObject({
      message: expect.any(String),
      fix: expect.any(String),
      object: expect.any(Object),
    });
    await repair(code, findings[0]!.object?.id ?? null);
    expect(await check()).toMatchObject({ status: 'connected', findings: [{ advice: true }] });
  });

  test('webhooks_silent', async () => {
    const patient = await makePatient(clinic);
    const book = (hour: number) =>
      bookAppointment(asApplication(clinic.services, clinic.tenant), {
        patient_id: patient.id,
        appointment_type_id: FOLLOW_UP,
        calendar_id: ROWAN,
        from_date: `${dayAhead(9)}T${hour}:00:00.000Z`,
      });
    const countEvents = () => clinic.ctx.db.inboundEvent.count({ where: { provider: 'acuity' } });
    await book(16);
    await expect.poll(countEvents).toBe(1);
    expect(await faults(40_000)).toEqual([]);
    await breakSetting('webhooks_silent');
    await book(18);
    expect(await faults()).toEqual([]);
    expect(await check(40_000)).toMatchObject({ status: 'degraded', findings: [{ code: 'webhooks_silent' }, {}] });
    await repair('webhooks_silent', null);
    await expect.poll(countEvents).toBe(2);
    expect(await faults(40_000)).toEqual([]);
  });

  test('two causes are two findings, repaired independently', async () => {
    for (const code of ['location_form_not_internal', 'calendar_without_email', 'location_form_not_attached'])
      await breakSetting(code);
    const findings = await faults();
    expect(findings.map(({ code }) => code)).toEqual([
      'calendar_without_email',
      'location_form_not_internal',
      'location_form_not_attached',
    ]);
    for (const [index, { code, object }] of findings.entries()) {
      await repair(code, object?.id ?? null);
      expect(await faults()).toHaveLength(findings.length - index - 1);
    }
  });
});

test('the portal offers repairs for exactly the findings that the emulator can repair', () => {
  expect(REPAIRABLE_FINDINGS).toEqual(Object.keys(BREAKS));
});

test('repairs a fault that was not caused through the emulator, or says who can', async () => {
  await clinic.acuity.control('PATCH', `accounts/${clinic.acuity.account.user_id}`, { forms: [] });
  expect((await faults()).map(({ code }) => code)).toEqual(['location_form_missing']);
  await repair('location_form_missing', null);
  expect(await faults()).toEqual([]);
  expect(await errorOf(repair('calendar_without_email', null))).toMatchObject({ code: 'conflict' });
  expect(await errorOf(repair('credentials_refused', null))).toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining('The previous key is unknown'),
  });
  expect(await errorOf(repair('nonsense', null))).toMatchObject({ code: 'conflict' });
});

test('an account is degraded while no type has the form', async () => {
  const topics = async () =>
    (await clinic.ctx.db.event.findMany({ where: { eventType: 'integration' }, orderBy: { position: 'desc' } }))[0]!
      .eventTopic;
  const attach = (...appointmentTypeIDs: number[]) => {
    const form = { id: 31, name: 'Location', hidden: true, fields: [{ id: 41, name: 'Location' }] };
    const forms = [{ ...form, appointmentTypeIDs }];
    return clinic.acuity.control('PATCH', `accounts/${clinic.acuity.account.user_id}`, { forms });
  };
  await attach();
  const codes = ['location_form_not_attached', 'location_form_not_attached'];
  expect((await faults()).map(({ code }) => code)).toEqual(codes);
  expect(await check()).toMatchObject({ status: 'degraded' });
  expect(await topics()).toBe('degraded');
  await attach(FOLLOW_UP);
  expect(await check()).toMatchObject({ status: 'connected' });
  expect(await topics()).toBe('recovered');
  await attach(FOLLOW_UP, LONG_APPOINTMENT);
});

test('only an administrator can repair, and only at an emulator', async () => {
  const input = { code: 'location_form_missing' };
  expect((await errorOf(repairAcuity(asPractitioner(clinic.services, clinic.tenant), input))).code).toBe('forbidden');
  const { config } = clinic.services;
  const live = { ...config, acuity: { ...config.acuity, emulatorUrl: null } };
  expect((await errorOf(repairAcuity({ ...admin(), config: live }, input))).code).toBe('not_found');
});
