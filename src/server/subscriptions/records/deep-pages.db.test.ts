import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Context, Services } from '#server/core/context.ts';
import { createPatient } from '#server/patients/create-patient.ts';
import { asApplication, makeTenant } from '#testing/actors.ts';
import { createTestDatabase, type TestDatabase } from '#testing/database.ts';
import { testServices } from '#testing/services.ts';
import { listSubscriptions } from './list-subscriptions.ts';

const MANY = 5000;
const SIZE = 20;

let database: TestDatabase;
let services: Services;
let owner: pg.Client;
let app: Context;
beforeAll(async () => {
  database = await createTestDatabase();
  services = testServices(database);
  owner = new pg.Client(database.ownerUrl);
  await owner.connect();
  app = asApplication(services, await makeTenant(services));
  const patient = await createPatient(app, { first_name: 'Ann' });
  // Ten of each second, so that the id has to break ties.
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
  await services?.close();
  await database?.drop();
});

const idOf = (n: number) => `sub_${String(n).padStart(5, '0')}`;

/** How many rows PostgreSQL looked at for the page, by the plan of the very statement that was sent. */
async function rowsReadFor(input: Parameters<typeof listSubscriptions>[1]) {
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  const { items } = await listSubscriptions(app, input);
  const calls = sent.mock.calls.map(([first, values]) => {
    const { text = first, values: own = values } = first as unknown as { text?: string; values?: unknown[] };
    return { text: String(text), values: own as unknown[] };
  });
  sent.mockRestore();
  const page = calls.findLast(({ text }) => /from "public"\."subscriptions".*order by/is.test(text))!;
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
])('a page %s reads its own rows and those of its first second', async (_where, cursor, first) => {
  const { ids, read } = await rowsReadFor({ ...cursor, size: SIZE });
  expect(ids).toEqual(Array.from({ length: SIZE }, (_, n) => idOf(first - n)));
  expect(read).toBeLessThanOrEqual(SIZE + 1 + 10);
});
