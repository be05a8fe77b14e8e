import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#dev/testing/database.ts';
import { openDatabase } from '../db.ts';
import { REQUIRED_TRIGGERS } from './assert-protected.ts';

let database: TestDatabase;
let owner: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

/** Runs the service's startup checks on the database. */
async function assertConfined(): Promise<void> {
  const opened = openDatabase({ url: database.url, poolSize: 2 });
  await opened.assertConfined().finally(() => opened.close());
}

test('accepts a migrated database and requires each of its triggers', async () => {
  await assertConfined();
  const triggers = `select c.relname || '.' || tgname as name from pg_trigger t join pg_class c on c.oid = tgrelid
    where not tgisinternal and tgparentid = 0 and c.relnamespace = 'public'::regnamespace`;
  const { rows } = await owner.query(triggers);
  expect(rows.map(({ name }) => name).sort()).toEqual([...REQUIRED_TRIGGERS].sort());
});

test('rejects and names tables without their policies and triggers', async () => {
  await owner.query(`
    drop policy tenant on patients;
    drop policy tenant on audit_entries;
    drop policy tenant on payments;
    create policy tenant on payments using (true);
    create policy more on webhook_hours for select using (true);
    create policy less on webhook_endpoints as restrictive using (true);
    drop policy read_by_key on tenant_routes;
    alter table tenants no force row level security;
    alter table tenant_routes disable row level security;
    create table diaries (tenant_id uuid);
    drop trigger events_queue on events;
    alter table audit_chains disable trigger audit_chains_sealed`);
  await expect(assertConfined()).rejects.toThrow(
    [
      'The database lacks row-level security on audit_entries',
      'row-level security on diaries',
      'row-level security on patients',
      'row-level security on payments',
      'row-level security on tenant_routes',
      'row-level security on tenants',
      'row-level security on webhook_hours',
      'the policy tenant_routes.read_by_key',
      'the trigger audit_chains.audit_chains_sealed',
      'the trigger events.events_queue.',
    ].join(', '),
  );
});
