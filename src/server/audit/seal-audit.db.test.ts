import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditBench, withAuditLog } from '#dev/testing/audit-log.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { pagesTouchedBy } from '#dev/testing/query-plan.ts';
import { SEED, seededRandom } from '#dev/testing/seed.ts';
import { testSettings } from '#dev/testing/services.ts';
import { type ServiceProcess, serviceProgram } from '#dev/testing/start-service-process.ts';
import { accessBy, type TableAccess } from '#dev/testing/table-access.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { type FailedTenants, sealAudit } from './seal-audit.ts';
import { verifyAudit } from './verify-audit.ts';

/** Terminates the connection that is sealing. */
const CUT = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and state = 'active' and query like '%seal_audit(%' and pid <> pg_backend_pid()`;
/** `PROVE=1` runs the long form. */
const LONG = process.env.PROVE === '1';
const KILLS = LONG ? 200 : 1;
/** Months, and entries per month, written as the log grows. */
const [MONTHS, ENTRIES] = LONG ? [20, 1000] : [5, 200];
const BACKLOG = 400;

let bench: AuditBench;
beforeAll(async () => {
  bench = await withAuditLog(await withClinic());
});
afterAll(() => bench?.stop());

/**
 * Runs writers on separate connections, with some long and some rolled-back transactions; returns the number of
 * committed entries.
 */
async function write(tenants: Context[], until: (turns: number) => boolean, rest = 0): Promise<number> {
  const entry = `insert into audit_entries (id, tenant_id, action, object_type, object_id, actor_type, actor_id, request_id)
    values ($1, $2, 'patients.get', 'Patient', 'x', 'System', 'x', 'x')`;
  const counts = await Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      const client = new pg.Client({ connectionString: bench.database.url });
      await client.connect();
      const { tenantId } = tenants[writer % tenants.length]!;
      await client.query("select set_config('app.tenant_id', $1, false)", [tenantId]);
      const random = seededRandom(SEED + writer);
      let committed = 0;
      for (let turns = 0; !until(turns); turns += 1) {
        await pause(rest);
        await client.query('begin');
        for (let n = 0; n < 3; n += 1) await client.query(entry, [newId(), tenantId]);
        if (random() < 0.2) await pause(random() * 30);
        const isKept = random() < 0.8;
        await client.query(isKept ? 'commit' : 'rollback');
        if (isKept) committed += 3;
      }
      await client.end();
      return committed;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function expectIntact(tenants: Context[], written: number): Promise<void> {
  let sealed = 0;
  for (const { tenantId } of tenants) {
    const report = await verifyAudit(bench.services, tenantId);
    expect(report.faults).toEqual([]);
    expect(report.position).toBe(BigInt(report.checked));
    sealed += report.checked;
  }
  expect(sealed).toBe(written);
  const { rows } = await bench.owner.query(
    'select count(*)::int as left from audit_unsealed where tenant_id = any($1)',
    [tenants.map(({ tenantId }) => tenantId)],
  );
  expect(rows).toEqual([{ left: 0 }]);
}

test('with eight writers and three concurrent sealers every entry has one seal, and the chains are intact', async () => {
  const tenants = [bench.tenant(), bench.tenant()];
  let isOver = false;
  const sealing = Array.from({ length: 3 }, async () => {
    while (!isOver) await sealAudit(bench.services);
  });
  const written = await write(tenants, (turns) => turns >= (LONG ? 1000 : 30));
  isOver = true;
  await Promise.all(sealing);
  while ((await sealAudit(bench.services)) > 0);
  expect(written).toBeGreaterThan(100);
  await expectIntact(tenants, written);
});

test('a writer never waits for sealing', async () => {
  const ctx = bench.tenant();
  await bench.note(ctx, 3);
  await bench.owner.query('begin');
  await bench.owner.query('select seal_audit($1)', [ctx.tenantId]);
  // That transaction holds the chain's lock.
  await bench.service.query("set lock_timeout = '1ms'");
  await bench.service.query("select set_config('app.tenant_id', $1, false)", [ctx.tenantId]);
  await bench.service.query(
    `insert into audit_entries (id, tenant_id, action, object_type, object_id, actor_type, actor_id, request_id)
     values (gen_random_uuid(), $1, 'a', 'b', 'c', 'System', 'd', 'e')`,
    [ctx.tenantId],
  );
  await bench.service.query('reset lock_timeout');
  await bench.owner.query('rollback');
  expect(await verifyAudit(bench.services, ctx.tenantId)).toMatchObject({ checked: 4, faults: [] });
});

test("one tenant's broken chain does not stop the others", async () => {
  const [broken, intact] = [bench.tenant(), bench.tenant()];
  await bench.note(broken, 2);
  await sealAudit(bench.services);
  await bench.free.query('delete from audit_chains where tenant_id = $1', [broken.tenantId]);
  await bench.note(broken, 1);
  await bench.note(intact, 1);
  expect(await sealAudit(bench.services)).toBe(1);
  expect((await verifyAudit(bench.services, broken.tenantId)).faults).toMatchObject([{ problem: 'other_end' }]);
  await bench.free.query('delete from audit_unsealed where tenant_id = $1', [broken.tenantId]);
});

test('a terminated connection breaks no chain: sealing continues after the pause', async () => {
  const ctx = bench.tenant();
  await bench.note(ctx, 2);
  await bench.owner.query('begin');
  await bench.owner.query('select seal_audit($1)', [ctx.tenantId]);
  const failedTenants: FailedTenants = new Map();
  const cut = sealAudit(bench.services, failedTenants);
  while ((await bench.free.query(CUT)).rowCount === 0) await pause(10);
  await bench.owner.query('rollback');
  expect(await cut).toBe(0);
  expect(failedTenants.get(ctx.tenantId)?.waitMs).toBe(1_000);
  expect(await sealAudit(bench.services, failedTenants)).toBe(0);
  await pause(1_000);
  expect(await sealAudit(bench.services, failedTenants)).toBe(2);
  expect(failedTenants.size).toBe(0);
});

describe('the sealing processes', () => {
  test(`lose no entry and seal none twice after SIGKILL (${KILLS})`, {
    timeout: LONG ? 7_200_000 : 600_000,
  }, async () => {
    const program = await serviceProgram();
    const settings = testSettings(bench.database, { PORT: '0', DATABASE_CONNECTIONS: '10' });
    const tenants = [bench.tenant(), bench.tenant()];
    const random = seededRandom();
    let isOver = false;
    const writing = write(tenants, () => isOver, 50);
    let [notedCount, terminatedCount] = [0, 0];
    try {
      let running: ServiceProcess = await program.start(settings);
      for (let round = 0; round < KILLS; round += 1) {
        const ctx = tenants[round % 2]!;
        await bench.noteAt(ctx, new Date().toISOString(), BACKLOG);
        notedCount += BACKLOG;
        await pause(random() * 1000);
        if (round % 3 === 2) {
          // Terminates only the connection, which rolls its transaction back.
          const until = performance.now() + 5_000;
          let terminated = 0;
          while (terminated === 0 && performance.now() < until)
            terminated = (await bench.owner.query(CUT)).rowCount ?? 0;
          terminatedCount += terminated;
        } else {
          running.kill('SIGKILL');
          await running.ended;
          running = await program.start(settings);
        }
      }
      isOver = true;
      const written = (await writing) + notedCount;
      const since = performance.now();
      const left = async () =>
        (await bench.owner.query('select count(*)::int as n from audit_unsealed')).rows[0].n as number;
      while ((await left()) > 0 && performance.now() - since < 240_000) await pause(100);
      console.info(
        `sealing: ${KILLS} kills, ${terminatedCount} of connections in the middle, ${written} entries, all sealed ` +
          `${Math.round(performance.now() - since)} ms after the last write`,
      );
      await expectIntact(tenants, written);
    } finally {
      isOver = true;
      await program.stop();
    }
  });

  test('seal within seconds of the commit', { timeout: 240_000 }, async () => {
    const program = await serviceProgram();
    try {
      await program.start(testSettings(bench.database, { PORT: '0', DATABASE_CONNECTIONS: '10' }));
      const ctx = bench.tenant();
      await bench.note(ctx, 1);
      const since = performance.now();
      while ((await ctx.db.auditSeal.count()) === 0) {
        if (performance.now() - since > 10_000) throw new Error('not sealed');
        await pause(20);
      }
    } finally {
      await program.stop();
    }
  });
});

describe('as the log grows', () => {
  /** Entries per check. */
  const CHECKED = 5;
  const STATEMENTS = {
    seal: 'select seal_audit($1)',
    idle: 'select audit_tenants_to_seal() where $1::uuid is not null',
    check: `select check_audit_seals(position - ${CHECKED}, hash, ${CHECKED}) from audit_chains where tenant_id = $1`,
  };
  type Name = keyof typeof STATEMENTS;
  const names = Object.keys(STATEMENTS) as Name[];

  async function prepare({ tenantId }: Context): Promise<void> {
    await bench.owner.query('vacuum audit_unsealed');
    // Autovacuum would analyze eventually; a plan without statistics scans every month.
    await bench.owner.query('analyze audit_entries, audit_seals');
    // With statistics, a tiny partition would be scanned sequentially, which a grown one never is.
    await bench.owner.query('set enable_seqscan = off');
    await bench.owner.query("select set_config('app.tenant_id', $1, false)", [tenantId]);
  }

  /** Measures what each statement reads; searches of one index in different months are summed. */
  async function measure(ctx: Context): Promise<Record<Name, TableAccess>> {
    await prepare(ctx);
    const measured = {} as Record<Name, TableAccess>;
    for (const name of names) {
      if (name === 'seal') await bench.note(ctx, 1);
      const access = await accessBy(bench.owner, () => bench.owner.query(STATEMENTS[name], [ctx.tenantId]));
      const searches: Record<string, number> = {};
      for (const [index, count] of Object.entries(access.searches)) {
        const parentIndex = index.replace(/_\d{4}_\d{2}/, '');
        searches[parentIndex] = (searches[parentIndex] ?? 0) + count;
      }
      measured[name] = { ...access, searches };
    }
    return measured;
  }

  /**
   * Returns the fewest pages touched in several runs: the first calls also load the catalog, and other load adds to it.
   */
  async function measurePages(ctx: Context): Promise<Record<Name, number>> {
    const pages = {} as Record<Name, number>;
    for (const name of names) {
      const pageCounts: number[] = [];
      for (let n = 0; n < 8; n += 1) {
        if (name === 'seal') await bench.note(ctx, 1);
        const { rows } = await bench.owner.query(`explain (analyze, buffers, format json) ${STATEMENTS[name]}`, [
          ctx.tenantId,
        ]);
        pageCounts.push(pagesTouchedBy(rows[0]['QUERY PLAN'][0].Plan));
      }
      pages[name] = Math.min(...pageCounts);
    }
    return pages;
  }

  test('sealing an entry, finding none and checking read the same rows by the same indexes', {
    timeout: 300_000,
  }, async () => {
    const ctx = bench.tenant();
    await bench.note(ctx, 8);
    await sealAudit(bench.services);
    const small = await measure(ctx);
    const smallPages = LONG ? await measurePages(ctx) : null;
    for (let n = 0; n < MONTHS; n += 1) {
      await bench.noteAt(ctx, `${2000 + n}-06-01T00:00:00Z`, ENTRIES);
      await bench.owner.query('select make_log_partitions()');
      while ((await sealAudit(bench.services)) > 0);
    }
    const large = await measure(ctx);
    const report = JSON.stringify({ small, large });
    for (const name of names) {
      expect(large[name].sequential, report).toEqual([]);
      expect(large[name].rows, report).toBeLessThanOrEqual(small[name].rows + 10);
    }
    // An entry is found by its key in its own month: more months add no search.
    expect(large.seal.searches, report).toEqual({
      audit_unsealed_pkey: 3,
      audit_chains_pkey: 3,
      audit_entries_pkey: 1,
    });
    expect(large.idle.searches, report).toEqual({ audit_unsealed_pkey: 1 });
    const { audit_chains_pkey: chains, ...others } = large.check.searches;
    expect(others, report).toEqual({ audit_seals_pkey: 1, audit_entries_pkey: CHECKED });
    expect(chains, report).toBeLessThanOrEqual(CHECKED + 1);
    if (!smallPages) return;
    const largePages = await measurePages(ctx);
    console.info(
      `pages touched with 9 and with ${MONTHS * ENTRIES + 10} entries over ${MONTHS} more months: ${JSON.stringify({ smallPages, largePages })}`,
    );
    // A deeper index adds one page per descent.
    expect(largePages.seal).toBeLessThan(smallPages.seal + 15);
    expect(largePages.idle).toBeLessThan(smallPages.idle + 5);
    expect(largePages.check).toBeLessThan(smallPages.check + 40);
  });
});
