import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { asApplication, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context, Services } from '#server/core/context.ts';
import { createPatient } from '#server/patients/create-patient.ts';
import { listSubscriptions } from './list-subscriptions.ts';

const MANY = 5000;
const SIZE = 20;

let started: Clinic;
let services: Services;
let owner: pg.Client;
let app: Context;
beforeAll(async () => {
  started = await withClinic();
  ({ services } = started);
  owner = new pg.Client(started.database.ownerUrl);
  await owner.connect();
  app = asApplication(services, started.tenant);
  const patient = await createPatient(app, { first_name: 'Ann' });
  // Ten rows per second, so that the id has to break ties.
  await owner.query(
    `insert into subscriptions (id, tenant_id, account_id, patient_id, status, currency, created_at, updated_at)
     select 'sub_' || lpad(n::text, 5, '0'), $1, 'acct_1', $2, 'active', 'usd',
       timestamptz '2026-01-01' + (n / 10) * interval '1 second', now()
     from generate_series(1, ${MANY}) n`,
    [app.tenantId, patient.id],
  );
  await owner.query('analyze subscriptions');
});
afterAll(async () => {
  await owner?.end();
  await started?.stop();
});

const idOf = (n: number) => `sub_${String(n).padStart(5, '0')}`;

/** Returns how many rows PostgreSQL read for the page, from the plan of the statement that was sent. */
async function rowsReadFor(input: Parameters<typeof listSubscriptions>[1], ctx = app) {
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  const { items } = await listSubscriptions(ctx, input);
  const calls = sent.mock.calls.map(([first, values]) => {
    const { text = first, values: own = values } = first as unknown as { text?: string; values?: unknown[] };
    return { text: String(text), values: own as unknown[] };
  });
  sent.mockRestore();
  const page = calls.findLast(({ text }) => /from ("public"\.)?"subscriptions".*order by/is.test(text))!;
  const { rows } = await owner.query(`explain (analyze, format json) ${page.text}`, page.values);
  return { ids: items.map(({ id }) => id), read: rowsReadBy(rows[0]['QUERY PLAN'][0].Plan) };
}

type Plan = { 'Node Type': string; 'Actual Rows': number; 'Rows Removed by Filter'?: number; Plans?: Plan[] };
const rowsReadBy = (plan: Plan): number =>
  (plan.Plans ?? []).reduce((sum, part) => sum + rowsReadBy(part), 0) +
  (/Scan/.test(plan['Node Type']) ? plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) : 0);

test.each([
  ['after the first', { starting_after: idOf(MANY) }, MANY - 1],
  ['in the middle', { starting_after: idOf(MANY / 2) }, MANY / 2 - 1],
  ['near the end', { starting_after: idOf(MANY / 5) }, MANY / 5 - 1],
  ['backwards from the end', { ending_before: idOf(100) }, 100 + SIZE],
])('a page %s reads only its own rows and those of its first second', async (_where, cursor, first) => {
  const { ids, read } = await rowsReadFor({ ...cursor, size: SIZE });
  expect(ids).toEqual(Array.from({ length: SIZE }, (_, n) => idOf(first - n)));
  expect(read).toBeLessThanOrEqual(SIZE + 1 + 10);
});

/** Ten thousand rows: 1 % past due, 2 % with an expiring card, and twenty of a rare plan. */
const ALL = 10_000;
test('a page filtered by payment status, plan or needs_attention is found among ten thousand', async () => {
  const clinic = asApplication(services, await makeTenant(services));
  const patient = await createPatient(clinic, { first_name: 'Ann' });
  await owner.query(
    `insert into subscriptions (id, tenant_id, account_id, patient_id, status, currency, created_at, updated_at,
       current_period_end, payment_method_known, payment_method, items)
     select 'sub_f' || lpad(n::text, 5, '0'), $1, 'acct_1', $2, case when n % 100 = 7 then 'past_due' else 'active' end, 'usd',
       timestamptz '2026-01-01' + n * interval '1 second', now(), now() + interval '20 days', true,
       jsonb_build_object('id', 'pm_1', 'type', 'card', 'brand', 'visa', 'last4', '4242', 'exp_month', 1,
         'exp_year', extract(year from now())::int + case when n % 50 = 3 then 0 else 3 end),
       jsonb_build_array(jsonb_build_object('id', 'si_1', 'quantity', 1,
         'price_id', case when n % 500 = 9 then 'price_rare' else 'price_common' end))
     from generate_series(1, ${ALL}) n`,
    [clinic.tenantId, patient.id],
  );
  await owner.query('analyze subscriptions');
  await owner.query('analyze subscription_prices');
  const half = { starting_after: `sub_f${String(ALL / 2).padStart(5, '0')}` };
  for (const [filter, expected] of [
    [{ status: ['past_due', 'unpaid'] }, SIZE],
    [{ status: ['past_due', 'unpaid'], ...half }, SIZE],
    [{ needs_attention: true }, SIZE],
    [{ needs_attention: true, ...half }, SIZE],
    [{ price_id: 'price_rare' }, 20],
    [{ price_id: 'price_common', ...half }, SIZE],
    [{ price_id: 'price_common', status: ['past_due'] }, SIZE],
    [{ price_id: 'price_rare', needs_attention: true }, 0],
  ] as [Parameters<typeof listSubscriptions>[1], number][]) {
    const { ids, read } = await rowsReadFor({ ...filter, size: SIZE }, clinic);
    expect([filter, ids.length]).toEqual([filter, expected]);
    expect([filter, read < ALL / 10 || read]).toEqual([filter, true]);
  }
});
