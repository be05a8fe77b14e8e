import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyAudit } from '#server/audit/verify-audit.ts';
import { ConfigError } from '#server/core/config.ts';
import { type Database, openDatabase } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import { createLog } from '#server/core/log.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { makeClinics, runConcurrentQueries } from './invariants/pooled-connections.ts';
import { type Pooler, startPgbouncer } from './start-pgbouncer.ts';

let database: TestDatabase;
let pooler: Pooler;
let shared: Database;
let clinics: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  pooler = await startPgbouncer(database.url);
  shared = openDatabase({ url: pooler.url, poolSize: 8, pooler: 'transaction' });
  clinics = await makeClinics(shared);
});
afterAll(async () => {
  await shared?.close();
  await pooler?.stop();
  await database?.drop();
});

test('isolates tenants behind a pooler that shares connections between transactions', async () => {
  await shared.assertConfined();
  const { leaks, seen } = await runConcurrentQueries(shared, clinics);
  expect(leaks).toEqual([]);
  expect(seen).toBeGreaterThan(1000);
});

test('behind a pooler, fails a query without a tenant, and a failed transaction leaves nothing open', async () => {
  for (let turn = 0; turn < 4; turn += 1) {
    await shared.forTenant(clinics[0]!).patient.findMany();
    await expect(shared.system.patient.findMany()).rejects.toThrow();
    const db = shared.forTenant(clinics[1]!);
    const failing = db.$transaction(async (tx) => {
      await tx.patient.create({ data: { id: newId(), tenantId: clinics[1]!, firstName: 'lost' } });
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(await db.patient.count({ where: { firstName: 'lost' } })).toBe(0);
  }
});

test('behind a pooler, a transaction has its isolation level and tenant', async () => {
  const [tenantId] = clinics;
  const level = await shared.forTenant(tenantId!).$transaction(
    async (tx) => {
      await tx.patient.findMany();
      return tx.$queryRaw`select current_setting('transaction_isolation') as level, current_setting('app.tenant_id') as tenant`;
    },
    { isolationLevel: 'RepeatableRead' },
  );
  expect(level).toEqual([{ level: 'repeatable read', tenant: tenantId }]);
});

test('behind a pooler, the audit log can be verified', async () => {
  const report = await verifyAudit({ database: shared, log: createLog('silent') }, clinics[0]!);
  expect(report.faults).toEqual([]);
});

test('refuses to start without DATABASE_POOLER behind a pooler', async () => {
  const unscoped = openDatabase({ url: pooler.url, poolSize: 2 });
  const rejection = await unscoped.assertConfined().catch((error: unknown) => error);
  expect(rejection).toBeInstanceOf(ConfigError);
  expect(rejection).toHaveProperty('message', expect.stringContaining('set DATABASE_POOLER=transaction'));
  await unscoped.close();
});

test('starts without a pooler', async () => {
  const direct = openDatabase({ url: database.url, poolSize: 2 });
  await direct.assertConfined();
  await direct.close();
});
