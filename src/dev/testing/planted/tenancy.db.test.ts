import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '#server/core/db.ts';
import { readTables } from '../catalogue.ts';
import { makeClinics, runConcurrentQueries } from '../invariants/pooled-connections.ts';
import { SHARED_SCHEMAS, startTenantWalk, type TenantWalk } from '../invariants/tenant-walk.ts';

const TENANT_OR_NOTHING = `tenant_id::text = current_setting('app.tenant_id', true)`;
/** The short form walks only the tables with planted faults and two others, and sends fewer requests over the pool. */
const LONG = Boolean(process.env.PROVE);
const TABLES = LONG ? undefined : ['patients', 'subscriptions', 'appointments', 'events', 'payments'];
const REQUESTS = LONG ? undefined : 150;

let walk: TenantWalk;
beforeEach(async () => {
  walk = await startTenantWalk(TABLES);
});
afterEach(() => walk?.stop());

const policy = (table: string, using: string) => `drop policy tenant on ${table};
  create policy tenant on ${table} using (${using}) with check (${using})`;

describe('N1', () => {
  test('detects a policy that allows everything', async () => {
    await walk.owner.query(policy('patients', 'true'));
    const leaks = await walk.findLeaks();
    for (const operation of ['select', 'insert', 'update']) expect(leaks).toContain(`${operation} on patients`);
    expect(leaks.some((leak) => leak.includes('events'))).toBe(false);
  });

  test('detects an additional policy that lets another tenant insert', async () => {
    await walk.owner.query('create policy careless on subscriptions for insert with check (true)');
    expect(await walk.findLeaks()).toContain('insert on subscriptions');
  });

  test('detects a table without forced row-level security', async () => {
    await walk.owner.query('alter table patients no force row level security');
    const open = (await readTables(walk.owner, SHARED_SCHEMAS)).filter((table) => !table.isForced);
    expect(open.map(({ name }) => name)).toContain('patients');
  });
});

test('N2: detects a policy that treats a missing tenant as one without rows', async () => {
  await walk.owner.query(policy('appointments', TENANT_OR_NOTHING));
  expect(await walk.findLeaks()).toEqual([]);
  expect(await walk.findAnswersWithoutTenant()).toContain('select on appointments');
});

test('N3: detects a pool that sets a connection’s tenant only once', async () => {
  const shared = openDatabase({ url: walk.database.url, poolSize: 2 });
  const clinics = await makeClinics(shared);
  expect((await runConcurrentQueries(shared, clinics, REQUESTS)).leaks).toEqual([]);
  const scoped = new WeakSet<object>();
  const { query } = pg.Client.prototype;
  const forgetful = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args) {
    const isScope = (args[0] as unknown as { name?: string })?.name === 'scope';
    if (isScope && scoped.has(this)) return Promise.resolve({ rows: [] });
    if (isScope) scoped.add(this);
    return query.apply(this, args as never);
  });
  try {
    const { leaks } = await runConcurrentQueries(shared, clinics, REQUESTS);
    expect(leaks.filter((seen) => clinics.some((id) => seen.endsWith(`saw ${id}`)))).not.toEqual([]);
  } finally {
    forgetful.mockRestore();
    await shared.close();
  }
});
