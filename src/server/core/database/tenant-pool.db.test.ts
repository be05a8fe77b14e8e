import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#dev/testing/database.ts';
import { newId } from '../ids.ts';
import { BoundedPool, internalsOf } from './bounded-pool.ts';
import { TenantPool } from './tenant-pool.ts';

const [maple, birch] = [newId(), newId()];
const errors: Error[] = [];
let database: TestDatabase;
let pool: TenantPool;
let scopesSet = 0;

class Watched extends pg.Client {
  override query(...args: unknown[]): never {
    if ((args[0] as { name?: string }).name === 'scope') scopesSet += 1;
    return (super.query as (...args: unknown[]) => never).apply(this, args);
  }
}

const open = (options: pg.PoolConfig = {}) => {
  const created = new TenantPool({ connectionString: database.url, max: 2, Client: Watched, ...options });
  created.on('error', (error) => errors.push(error));
  return created;
};
const connect = (tenantId: string) => pool.within({ tenantId }, () => pool.connect());
const pidOf = async (client: pg.ClientBase) => (await client.query('select pg_backend_pid() as pid')).rows[0].pid;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  pool = open();
  scopesSet = 0;
});
afterEach(async () => {
  await pool.close();
  errors.length = 0;
});

test('reuses the idle connection that has the scope, whichever was released last', async () => {
  const first = await Promise.all([connect(maple), connect(birch)]);
  const pids = await Promise.all(first.map(pidOf));
  for (const client of first) client.release();
  for (let turn = 0; turn < 5; turn += 1)
    for (const [index, tenantId] of [maple, birch].entries()) {
      const client = await connect(tenantId);
      expect(await pidOf(client)).toBe(pids[index]);
      client.release();
    }
  expect(scopesSet).toBe(2);
});

test('sets the scope of an idle connection that has another instead of opening one', async () => {
  const [tenants, seen] = [[maple, birch, maple], new Set()];
  for (const tenantId of tenants) {
    const client = await connect(tenantId);
    const { rows } = await client.query("select current_setting('app.tenant_id') as tenant");
    expect(rows).toEqual([{ tenant: tenantId }]);
    seen.add(await pidOf(client));
    client.release();
  }
  expect([seen.size, scopesSet]).toEqual([1, 3]);
});

test('gives a released connection to the caller that waits longest', async () => {
  const busy = await Promise.all([connect(maple), connect(birch)]);
  const served: string[] = [];
  const pending = ['first', 'second'].map(async (name) => {
    const client = await connect(maple);
    served.push(name);
    client.release();
  });
  for (const client of busy) client.release();
  await Promise.all(pending);
  expect(served).toEqual(['first', 'second']);
  expect(() => busy[0].release()).toThrow('already been released');
});

test('closes a connection that broke, idle or in use, and reports only the idle one', async () => {
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  for (const isIdle of [true, false]) {
    const client = await connect(maple);
    const pid = await pidOf(client);
    if (isIdle) client.release();
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    await other.query('select pg_terminate_backend($1)', [pid]);
    await ended;
    if (!isIdle) client.release();
    expect(errors).toMatchObject([{ message: expect.stringContaining('terminating connection') }]);
    const next = await connect(maple);
    expect(await pidOf(next)).not.toBe(pid);
    next.release();
  }
  await other.end();
});

test('closes a connection that is idle for longer than its timeout', async () => {
  await pool.close();
  pool = open({ idleTimeoutMillis: 50 });
  const clients = await Promise.all([connect(maple), connect(maple)]);
  const closed = new Promise<void>((resolve) => clients[1].once('end', resolve));
  clients[1].release();
  await closed;
  clients[0].release();
});

test('a connection that is closing counts until it is closed', async () => {
  const closings: (() => unknown)[] = [];
  class Hanging extends pg.Client {
    override end(...args: unknown[]): never {
      return closings.push(() => (super.end as (...args: unknown[]) => unknown)(...args)) as never;
    }
  }
  const bounded = new BoundedPool({ connectionString: database.url, max: 1, Client: Hanging });
  (await bounded.connect()).release(true);
  const next = bounded.connect();
  expect([bounded.totalCount, bounded.waitingCount]).toEqual([0, 1]);
  closings.shift()?.();
  (await next).release(true);
  closings.shift()?.();
});

test('names the private members that a version of pg does not have', () => {
  const other = Object.assign(new pg.Pool({ max: 1 }), { _idle: undefined, _remove: undefined });
  expect(() => internalsOf(other)).toThrow('this version of pg has no _idle, _remove in its pool');
});
