import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditEntryView, ChartReaderView } from '#contract/audit.ts';
import type { Page } from '#contract/conventions.ts';
import { SANDBOX, type Sandbox, withClinic } from '#dev/testing/clinic.ts';
import { signInToPortal } from '#dev/testing/staff-sign-in.ts';
import { newId } from '#server/core/ids.ts';
import { type Change, insertAudit } from '#server/core/record.ts';
import { createStaffUser } from '../identity/staff/create-staff-user.ts';

const PASSWORD = 'correct horse battery';
const FORMULA = '=HYPERLINK("http://attacker.example.test","Ada")';

let clinic: Sandbox;
let admin: string;
let nurse: string;
let nurseId: string;
let patientId: string;
beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  const staff = (email: string, role: 'admin' | 'practitioner') =>
    createStaffUser(clinic.ctx, { email, name: `Ada ${role}`, role, password: PASSWORD });
  await staff('admin@example.test', 'admin');
  nurseId = (await staff('nurse@example.test', 'practitioner')).id;
  admin = await signIn('admin@example.test');
  nurse = await signIn('nurse@example.test');
  const token = await clinic.token(await clinic.application(clinic.ctx));
  const created = await clinic.rest.call({ method: 'POST', path: '/patients', token, body: { first_name: FORMULA } });
  patientId = created.body.id;
  await clinic.rest.call({ method: 'POST', path: '/patients', token, body: { first_name: 'Grace' } });
  await callQuery('patients.get', { id: patientId }, nurse);
  await callQuery('patients.list', {}, nurse);
  await clinic.rest.call({ method: 'GET', path: `/patients/${patientId}`, token });
});
afterAll(() => clinic?.stop());

async function signIn(email: string): Promise<string> {
  const result = await signInToPortal(clinic.services, { email, password: PASSWORD });
  if ('error' in result) throw new Error(`refused: ${result.error}`);
  return result.cookie;
}

async function callQuery<Data>(name: string, input: object, cookie = admin, headers: Record<string, string> = {}) {
  const query = new URLSearchParams({ input: JSON.stringify(input) });
  const response = await fetch(`${clinic.url}/api/trpc/${name}?${query}`, { headers: { cookie, ...headers } });
  const body = (await response.json()) as { result: { data: Data }; error: { data: { errors: { code: string }[] } } };
  return { status: response.status, data: body.result?.data, code: body.error?.data.errors[0]?.code };
}
const list = async (input: object) => (await callQuery<Page<AuditEntryView>>('audit.list', input)).data;
const download = (query: string, cookie = admin, headers: Record<string, string> = {}) =>
  fetch(`${clinic.url}/api/audit/export?${query}`, { headers: { cookie, ...headers } });

describe('the audit log', () => {
  test('lists the latest entries first, with names, and pages by cursor', async () => {
    const first = await list({ actor_id: nurseId, size: 1 });
    expect(first.items).toMatchObject([
      { action: 'patients.list', actor: { type: 'Practitioner', name: 'Ada practitioner' }, patient_count: 2 },
    ]);
    const next = await list({ actor_id: nurseId, size: 1, starting_after: first.next! });
    expect(next.items).toMatchObject([
      { action: 'patients.get', outcome: 'done', patients: [{ id: patientId, name: FORMULA }], address: '127.0.0.1' },
    ]);
    const back = await list({ actor_id: nurseId, size: 1, ending_before: next.items[0]!.id });
    expect(back.items).toEqual(first.items);
  });

  test('records whose entries were read', async () => {
    await list({ action: 'patients.get', actor_id: nurseId });
    const [read] = (await list({ action: 'audit.list', size: 1 })).items;
    expect(read).toMatchObject({ patients: [{ id: patientId }], patient_count: 1 });
  });

  test('filters by patient, action, outcome and time', async () => {
    await callQuery('patients.get', { id: clinic.ctx.tenantId }, nurse);
    const actions = async (input: object) => (await list(input)).items.map(({ action }) => action);
    expect(await actions({ patient_id: patientId, actor_id: nurseId })).toEqual(['patients.list', 'patients.get']);
    expect(await actions({ action: 'patients', actor_id: nurseId, outcome: 'done' })).toHaveLength(2);
    expect(await actions({ action: 'patients.list', actor_id: nurseId })).toEqual(['patients.list']);
    const denied = await list({ outcome: 'refused', actor_id: nurseId });
    expect(denied.items).toMatchObject([{ action: 'patients.get', outcome: 'not_found' }]);
    expect(await actions({ until: '2020-01-01T00:00:00Z' })).toEqual([]);
    expect(await actions({ since: '2020-01-01T00:00:00Z', actor_id: nurseId, action: 'patients.list' })).toHaveLength(
      1,
    );
  });

  test('reports who has read a chart, how often, and in lists', async () => {
    const readers = await callQuery<ChartReaderView[]>('audit.forPatient', { patient_id: patientId });
    const about = (type: string) => readers.data.find(({ actor }) => actor.type === type);
    expect(about('Practitioner')).toMatchObject({ times: 2, in_lists: 1, refused: 0 });
    expect(about('Application')).toMatchObject({ times: 2, in_lists: 0, actions: ['patients.create', 'patients.get'] });
  });

  test('is open only to administrators of the clinic', async () => {
    expect((await callQuery('audit.list', {}, nurse)).code).toBe('forbidden');
    expect((await callQuery('audit.forPatient', { patient_id: patientId }, nurse)).code).toBe('forbidden');
    expect((await download('format=csv', nurse)).status).toBe(403);
    expect((await download('format=csv', '')).status).toBe(401);
    const rejections = await list({ actor_id: nurseId, action: 'audit', outcome: 'refused' });
    expect(rejections.items.map(({ action }) => action)).toEqual(['audit.export', 'audit.list_readers', 'audit.list']);
  });

  test('has one entry for automatic refetches and one for each opened page', async () => {
    const count = async () => (await list({ actor_id: nurseId, action: 'appointments.list', size: 50 })).items.length;
    const refetch = { 'x-carelane-refetch': '1' };
    for (const headers of [{}, refetch, refetch, refetch]) await callQuery('appointments.list', {}, nurse, headers);
    expect(await count()).toBe(1);
    await callQuery('appointments.list', {}, nurse);
    expect(await count()).toBe(2);
  });
});

describe('what the entries are about', () => {
  const BILL = 'in_named1';
  const at = new Date();
  const write = (change: Change) => clinic.ctx.db.$executeRaw(insertAudit(clinic.ctx, { patientId, ...change }));
  const ofBill = { type: 'Subscription', id: 'sub_named1' };
  const payment = { amount: 49_000, total: 49_000, currency: 'usd' };
  const staff = (id: string) => ({ object: { type: 'StaffUser', id }, patientId: null });
  const only = async (input: object) => (await list(input)).items;
  let endpointId: string;
  let goneId: string;
  beforeAll(async () => {
    const { tenantId, db } = clinic.ctx;
    [endpointId, goneId] = [newId(), newId()];
    await db.payment.create({
      data: {
        ...{ id: BILL, tenantId, accountId: 'acct_1', subscriptionId: ofBill.id, patientId, status: 'paid' },
        ...{ subtotal: 49_000, discount: 0, tax: 0, total: 49_000, amountDue: 49_000, amountPaid: 49_000 },
        ...{ amountRemaining: 0, amountRefunded: 0, currency: 'usd', createdAt: at, updatedAt: at },
        ...{ periodStart: at, periodEnd: at },
      },
    });
    await db.subscription.create({
      data: {
        id: ofBill.id,
        tenantId,
        accountId: 'acct_1',
        patientId,
        status: 'active',
        currency: 'usd',
        name: 'Monthly',
      },
    });
    await db.webhookEndpoint.create({
      data: {
        ...{ id: endpointId, tenantId, url: 'https://hooks.example.org/secret-path?key=secret', eventTypes: ['*'] },
        ...{ contractVersion: '1', secret: Buffer.from('x'), position: 0 },
      },
    });
    const event = 'subscription.payment_succeeded' as const;
    const details = { payment_id: BILL, amount: 49_000, currency: 'usd' };
    await write({ action: 'subscriptions.sync', object: ofBill, event, details });
    await write({ action: 'subscriptions.sync', object: ofBill, event: 'subscription.updated' });
    // Entries of earlier releases have no currency.
    await write({ action: 'payments.refund', object: ofBill, details: { payment_id: BILL, amount: 9000 } });
    await write({ action: 'team.invite', ...staff(nurseId), details: { role: 'practitioner' } });
    await write({ action: 'team.withdraw_invitation', ...staff(goneId) });
    const endpoint = { type: 'WebhookEndpoint', id: endpointId };
    await write({ action: 'webhooks.update', object: endpoint, patientId: null, details: { host: 'old.example.org' } });
    const gone = { type: 'WebhookEndpoint', id: goneId };
    await write({ action: 'webhooks.delete', object: gone, patientId: null, details: { host: 'gone.example.org' } });
  });

  test('are named as they are called now, payments with their sum', async () => {
    const kind = (name: string) => only({ kind: name, actor_type: 'System' });
    expect(await kind('payments')).toMatchObject([
      { action: 'payments.refund', payment: { ...payment, amount: 9000 }, object: { name: 'Monthly' } },
      { action: 'subscriptions.sync', event: 'subscription.payment_succeeded', payment },
    ]);
    expect(await kind('team')).toMatchObject([
      { action: 'team.withdraw_invitation', object: { id: goneId, name: null }, payment: null },
      { action: 'team.invite', object: { id: nurseId, name: 'Ada practitioner' } },
      ...(await only({ action: 'team.create' })).map(({ id }) => ({ id })),
    ]);
    const webhooks = await kind('webhooks');
    expect(webhooks.map(({ object }) => object.name)).toEqual(['gone.example.org', 'hooks.example.org']);
    expect(JSON.stringify(webhooks)).not.toContain('secret');
    const [token] = await only({ kind: 'tokens', size: 1 });
    expect(token!.object.name).toBe(token!.actor.name);
  });

  test('divides subscriptions from their payments', async () => {
    const kind = (name: string) => only({ kind: name, patient_id: patientId });
    expect(await kind('subscriptions')).toMatchObject([{ event: 'subscription.updated', payment: null }]);
    expect((await kind('payments')).map(({ action }) => action)).toEqual(['payments.refund', 'subscriptions.sync']);
  });

  test('are filtered by kind and by the type of the actor, in the list as in the export', async () => {
    expect((await only({ kind: 'charts', actor_id: nurseId, outcome: 'done' })).map(({ action }) => action)).toEqual([
      'patients.get',
    ]);
    expect(await only({ actor_type: 'Patient' })).toEqual([]);
    const lines = (await (await download('format=ndjson&kind=payments&actor_type=System')).text())
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(await only({ kind: 'payments', actor_type: 'System' }));
    const [header] = (await (await download('format=csv&kind=payments')).text()).split('\r\n');
    expect(header).toMatch(/,id,object_name,event,payment_amount,payment_total,payment_currency$/);
    for (const filter of ['kind=letters', 'actor_type=Robot'])
      expect([filter, (await download(`format=csv&${filter}`)).status]).toEqual([filter, 422]);
  });
});

describe('the export of the audit log', () => {
  test('is CSV without formulas and adds an audit entry', async () => {
    const response = await download('format=csv');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="audit-log-\d{4}-\d\d-\d\d\.csv"$/,
    );
    const text = await response.text();
    expect(text).toContain(`"'=HYPERLINK(""http://attacker.example.test"",""Ada"")"`);
    expect(text.split('\r\n').filter((line) => /(^|,)"?[=+@-]/.test(line))).toEqual([]);
    const [entry] = (await list({ action: 'audit.export', outcome: 'done', size: 1 })).items;
    expect(entry).toMatchObject({ actor: { name: 'Ada admin' }, details: { format: 'csv', filters: [] } });
  });

  test('is NDJSON with the same filtered entries as the page', async () => {
    const response = await download(`format=ndjson&actor_id=${nurseId}&action=patients`);
    const lines = (await response.text()).trimEnd().split('\n');
    const { items } = await list({ actor_id: nurseId, action: 'patients', size: 100 });
    expect(lines.map((line) => JSON.parse(line))).toEqual(items);
  });

  test('returns 422 with the contract’s error shape for invalid filters', async () => {
    for (const [query, status] of [
      ['format=xls', 422],
      ['', 422],
      ['format=csv&colour=red', 422],
    ] as const) {
      const response = await download(query);
      expect([query, response.status]).toEqual([query, status]);
      expect((await response.json()).errors[0].status).toBe('422');
    }
    expect((await download('format=csv', admin, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });
});
