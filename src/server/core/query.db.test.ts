import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#dev/testing/database.ts';
import { type Db, openDatabase, Prisma, query, type Tx } from './db.ts';
import { newId } from './ids.ts';

const tenantId = newId();
const STATE = Prisma.sql`select pg_backend_pid() as pid, current_setting('app.tenant_id') as tenant`;
type State = { pid: number; tenant: string };
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const withDb = async (pooler: 'none' | 'transaction', work: (db: Db) => Promise<void>) => {
  const opened = openDatabase({ url: database.url, poolSize: 1, pooler });
  try {
    await work(opened.forTenant(tenantId));
  } finally {
    await opened.close();
  }
};
const addRoute = (key: string) =>
  Prisma.sql`insert into tenant_routes (key, tenant_id) values (${key}, ${tenantId}::uuid)`;
const countRoutes = (db: Db, key: string) => db.tenantRoute.count({ where: { tenantId, key } });

test.each(['none', 'transaction'] as const)(
  'a statement of a transaction runs on its connection, also as the first (pooler: %s)',
  async (pooler) => {
    await withDb(pooler, async (db) => {
      await db.$transaction(async (tx) => {
        const [first] = await query<State>(tx, STATE);
        const [second] = await tx.$queryRaw<State[]>(STATE);
        expect(first).toEqual(second);
        expect(first!.tenant).toBe(tenantId);
      });
      const key = `kept:${pooler}`;
      await db.$transaction(async (tx) => void (await query(tx, addRoute(key))));
      expect(await countRoutes(db, key)).toBe(1);
    });
  },
);

test('a transaction that fails undoes its statements, and ends when a statement fails', async () => {
  await withDb('none', async (db) => {
    const failing = db.$transaction(async (tx) => {
      await query(tx, addRoute('undone'));
      throw new Error('afterwards');
    });
    await expect(failing).rejects.toThrow('afterwards');
    const broken = db.$transaction(async (tx) => {
      await query(tx, addRoute('undone'));
      await query(tx, Prisma.sql`select 1 / 0`);
    });
    await expect(broken).rejects.toThrow('division by zero');
    expect(await countRoutes(db, 'undone')).toBe(0);
  });
});

test('a transaction that has ended or run out of time can run no statement on the connection', async () => {
  await withDb('none', async (db) => {
    let ended: Tx | null = null;
    await db.$transaction(async (tx) => {
      ended = tx;
    });
    await expect(query(ended!, addRoute('late'))).rejects.toThrow(/Transaction/);
    let late: Promise<unknown> = Promise.resolve();
    const expired = db.$transaction(
      async (tx) => {
        await pause(300);
        late = query(tx, addRoute('late'));
        await late;
      },
      { timeout: 100 },
    );
    await expect(expired).rejects.toThrow(/Transaction/);
    await expect(late).rejects.toThrow(/Transaction/);
    expect(await countRoutes(db, 'late')).toBe(0);
  });
});
