import { afterAll, beforeAll, expect, test } from 'vitest';
import { SANDBOX, type Sandbox, withClinic } from '#dev/testing/clinic.ts';
import { signInToPortal } from '#dev/testing/staff-sign-in.ts';
import { createStaffUser } from '../identity/staff/create-staff-user.ts';

const PASSWORD = 'correct horse battery';
const FORMULA = '=HYPERLINK("http://attacker.example.test","Ada")';
const MANY = 1200;

let clinic: Sandbox;
let nurse: string;
let nurseId: string;
let named: string;
beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  const user = { email: 'nurse@example.test', name: 'Ada Nurse', role: 'billing' as const, password: PASSWORD };
  nurseId = (await createStaffUser(clinic.ctx, user)).id;
  const result = await signInToPortal(clinic.services, user);
  if ('error' in result) throw new Error(`refused: ${result.error}`);
  nurse = result.cookie;
  const token = await clinic.token(await clinic.application(clinic.ctx));
  const body = { first_name: FORMULA, email: 'ada@example.test' };
  named = (await clinic.rest.call({ method: 'POST', path: '/patients', token, body })).body.id;
  const { db, tenantId } = clinic.ctx;
  await db.subscription.createMany({
    data: Array.from({ length: MANY }, (_, n) => ({
      id: `sub_many${String(n).padStart(4, '0')}`,
      tenantId,
      accountId: 'acct_1',
      patientId: named,
      status: n % 100 === 0 ? 'past_due' : 'active',
      name: 'Care; "plus"',
      planPrice: 4900n,
      currency: n === 0 ? 'jpy' : 'usd',
      billingPeriod: 'month',
      billingInterval: 1,
      paymentMethodKnown: true,
      paymentMethod: { id: 'pm_1', type: 'card', brand: 'visa', last4: '4242', exp_month: 3, exp_year: 2040 },
      // Several at the same instant, so that the id breaks ties.
      createdAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(n / 7) * 1000),
    })),
  });
});
afterAll(() => clinic?.stop());

const download = (query: string, cookie = nurse, headers: Record<string, string> = {}) =>
  fetch(`${clinic.url}/api/subscriptions/export?${query}`, { headers: { cookie, ...headers } });
const linesOf = (text: string) => text.trimEnd().split('\r\n').slice(1);
const entries = () =>
  clinic.ctx.db.auditEntry.findMany({
    where: { action: 'subscriptions.export', actorId: nurseId },
    orderBy: { position: 'desc' },
  });

test('the CSV export has each matching subscription once, without formulas', async () => {
  const response = await download('');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('content-disposition')).toMatch(/filename="subscriptions-\d{4}-\d\d-\d\d\.csv"$/);
  const text = await response.text();
  const ids = linesOf(text).map((line) => line.split(',')[0]);
  expect(new Set(ids).size).toBe(MANY);
  expect(ids[0]).toBe('sub_many1199');
  expect(text).toContain(`"'=HYPERLINK(""http://attacker.example.test"",""Ada"")"`);
  expect(text).toContain('"Care; ""plus""",active,,49.00,usd,1 month,');
  expect(text).toContain('past_due,not_paid,4900,jpy');
  expect(text).toContain(',visa 4242,2040-03,');

  const some = linesOf(await (await download('status=past_due,unpaid&needs_attention=true')).text());
  expect(some).toHaveLength(MANY / 100);
  expect(linesOf(await (await download('price_id=price_unknown')).text())).toEqual([]);
});

test('each batch adds an audit entry with its patients, after an entry for the export itself', async () => {
  const before = (await entries()).length;
  await (await download(`patient_id=${named}&status=active`)).text();
  const added = (await entries()).slice(0, -before);
  expect(added.map(({ details }) => details)).toEqual([
    { subscriptions: 188 },
    { subscriptions: 500 },
    { subscriptions: 500 },
    { format: 'csv', filters: ['patient_id', 'status'] },
  ]);
  expect(added.every(({ patientId }) => patientId === named)).toBe(true);
});

test('the export requires a staff session and returns 422 with the contract’s error shape', async () => {
  expect((await download('', '')).status).toBe(401);
  expect((await download('', nurse, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  for (const query of ['status=late', 'colour=red', 'needs_attention=perhaps', 'patient_id=ada']) {
    const response = await download(query);
    expect([query, response.status]).toEqual([query, 422]);
    expect((await response.json()).errors[0].status).toBe('422');
  }
});
