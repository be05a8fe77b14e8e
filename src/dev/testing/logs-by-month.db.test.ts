import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listAuditHeads } from '#server/audit/audit-heads.ts';
import { sealAudit } from '#server/audit/seal-audit.ts';
import { verifyAudit } from '#server/audit/verify-audit.ts';
import { newId } from '#server/core/ids.ts';
import { type AuditBench, withAuditLog } from './audit-log.ts';
import { withClinic } from './clinic.ts';

const LOGS = ['events', 'audit_entries'];
const PERMISSION_DENIED = { code: '42501' };
const AUDIT_COLUMNS = 'id, tenant_id, action, object_type, object_id, actor_type, actor_id, request_id';

let bench: AuditBench;
beforeAll(async () => {
  bench = await withAuditLog(await withClinic());
});
afterAll(() => bench?.stop());

const partitions = async (log: string): Promise<string[]> =>
  (
    await bench.owner.query(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1`,
      [log],
    )
  ).rows.map(({ name }) => name);
const monthOf = (ahead: number) => {
  const now = new Date();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1)).toISOString();
  return month.slice(0, 7).replace('-', '_');
};
const asTenant = async (client: pg.Client, tenantId: string, text: string, values?: unknown[]) => {
  await client.query("select set_config('app.tenant_id', $1, false)", [tenantId]);
  return client.query(text, values);
};
const eventAt = (client: pg.Client, tenantId: string, at: string) =>
  asTenant(
    client,
    tenantId,
    `insert into events (id, tenant_id, event_type, event_topic, object_id, author_type, author_id, payload, created_at)
     values ($1, $2, 'patient', 'created', 'x', 'System', 'x', '{}', $3)`,
    [newId(), tenantId, at],
  );
const homeOf = async (log: string, tenantId: string): Promise<string[]> =>
  (
    await bench.owner.query(`select distinct tableoid::regclass::text as home from ${log} where tenant_id = $1`, [
      tenantId,
    ])
  ).rows.map(({ home }) => home);

describe('partitions', () => {
  test('exist for this month and the next three, with a default partition', async () => {
    for (const log of LOGS)
      expect(await partitions(log)).toEqual([
        ...[0, 1, 2, 3].map((ahead) => `${log}_${monthOf(ahead)}`),
        `${log}_default`,
      ]);
  });

  test('are created once by concurrent calls', async () => {
    const others = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const client = new pg.Client({ connectionString: bench.database.url });
        await client.connect();
        return client;
      }),
    );
    const results = await Promise.all(
      others.map(async (client) => (await client.query('select made from make_log_partitions(5)')).rows[0].made),
    );
    expect(results.sort()).toEqual([0, 0, 0, 4]);
    for (const log of LOGS) expect(await partitions(log)).toContain(`${log}_${monthOf(5)}`);
    await Promise.all(others.map((client) => client.end()));
  });

  test('take over rows from the default partition, and a write never waits for a partition', async () => {
    const ctx = bench.tenant();
    for (const at of ['2020-02-29T23:59:59.999Z', '2020-03-01T00:00:00Z', '2031-07-05T12:00:00Z'])
      await eventAt(bench.service, ctx.tenantId, at);
    await bench.noteAt(ctx, '2020-02-10T00:00:00Z', 3);
    expect([await homeOf('events', ctx.tenantId), await homeOf('audit_entries', ctx.tenantId)]).toEqual([
      ['events_default'],
      ['audit_entries_default'],
    ]);
    expect((await bench.service.query('select * from make_log_partitions()')).rows).toEqual([{ made: 4, strayed: 6 }]);
    expect((await homeOf('events', ctx.tenantId)).sort()).toEqual([
      'events_2020_02',
      'events_2020_03',
      'events_2031_07',
    ]);
    expect(await homeOf('audit_entries', ctx.tenantId)).toEqual(['audit_entries_2020_02']);
    expect(await verifyAudit(bench.services, ctx.tenantId)).toMatchObject({ checked: 3, faults: [] });
  });

  test('of a missing month are created while a write transaction is open', async () => {
    const ctx = bench.tenant();
    await bench.owner.query('begin');
    await bench.owner.query(`insert into audit_entries (${AUDIT_COLUMNS}) values
      (gen_random_uuid(), '${ctx.tenantId}', 'a', 'b', 'c', 'System', 'd', 'e')`);
    // That transaction is still open.
    expect((await bench.service.query('select made from make_log_partitions(7)')).rows).toEqual([{ made: 4 }]);
    await bench.owner.query('rollback');
  });

  test('delay writes by at most two seconds while a transaction reads the default partition', async () => {
    await bench.owner.query('begin; select count(*) from audit_entries_default');
    await expect(bench.service.query('select make_log_partitions(9)')).rejects.toMatchObject({ code: '55P03' });
    await bench.owner.query('rollback');
    await bench.service.query('select make_log_partitions(9)');
  });

  test('have row-level security of their own', async () => {
    const { rows } = await bench.owner.query(
      `select c.relname from pg_class c where c.relispartition and c.relkind = 'r'
         and not (c.relrowsecurity and c.relforcerowsecurity)`,
    );
    expect(rows).toEqual([]);
  });
});

describe('the service’s role', () => {
  test.each(LOGS)('cannot access a partition of %s directly', async (log) => {
    for (const name of await partitions(log))
      for (const statement of [`select from ${name}`, `insert into ${name} default values`, `delete from ${name}`])
        await expect(bench.service.query(statement), statement).rejects.toMatchObject(PERMISSION_DENIED);
  });

  test.each([
    "update audit_entries set action = 'x'",
    'delete from audit_entries',
    'truncate audit_entries',
    "update events set event_type = 'x'",
    'delete from events',
    'truncate events',
    'alter table audit_entries disable trigger all',
    'drop table audit_entries',
    'alter table audit_entries detach partition audit_entries_default',
    'create table mine (like audit_entries)',
    "create table p partition of audit_entries for values from ('1990-01-01') to ('1990-02-01')",
    'create or replace function audit_text(entry audit_entries) returns text language sql as $$ select null::text $$',
    "select setval('audit_entries_position_seq', 1)",
    "set session_replication_role = 'replica'",
    "select carelane_make_month('audit_entries', '1990-01-01')",
    "select before_audit_drop(now() - interval '2 years')",
    ...['audit_seals', 'audit_chains', 'audit_unsealed'].flatMap((table) => [
      `insert into ${table} (tenant_id) values (gen_random_uuid())`,
      `update ${table} set tenant_id = tenant_id`,
      `delete from ${table}`,
      `truncate ${table}`,
    ]),
  ])('is denied: %s', async (statement) => {
    await expect(asTenant(bench.service, newId(), statement)).rejects.toMatchObject(PERMISSION_DENIED);
  });

  test('cannot set an entry’s position or time', async () => {
    const { tenantId } = bench.tenant();
    const write = (column: string, value: string) =>
      asTenant(
        bench.service,
        tenantId,
        `insert into audit_entries (${AUDIT_COLUMNS}, ${column})
         values (gen_random_uuid(), $1, 'a', 'b', 'c', 'System', 'd', 'e', ${value}) returning created_at, now()::timestamptz(3) as now`,
        [tenantId],
      );
    await expect(write('position', '1')).rejects.toMatchObject(PERMISSION_DENIED);
    for (const far of ["'2020-01-01'", "now() + interval '11 minutes'", "now() - interval '1 month'", "'infinity'"])
      await expect(write('created_at', far), far).rejects.toMatchObject(PERMISSION_DENIED);
    // The previous version of the service sets `created_at` from its own, slightly wrong clock.
    const { rows } = await write('created_at', "now() + interval '3 seconds'");
    expect(rows[0].created_at).toEqual(rows[0].now);
  });

  test('cannot write or seal an entry of another tenant', async () => {
    const [mine, other] = [bench.tenant(), bench.tenant()];
    await expect(
      asTenant(
        bench.service,
        mine.tenantId,
        `insert into audit_entries (${AUDIT_COLUMNS}) values (gen_random_uuid(), $1, 'a', 'b', 'c', 'System', 'd', 'e')`,
        [other.tenantId],
      ),
    ).rejects.toMatchObject(PERMISSION_DENIED);
    await bench.note(other, 3);
    await sealAudit(bench.services);
    // The seal check always covers the connection's own tenant.
    const { rows } = await asTenant(bench.service, mine.tenantId, "select seals from check_audit_seals(0, '', 100)");
    expect(rows).toEqual([{ seals: 0 }]);
  });

  test.each([
    ['events', '29 days'],
    ['events', '-1 day'],
    ['audit_entries', '364 days'],
    ['audit_entries', '0 days'],
  ])('cannot drop recent partitions: %s of %s ago', async (log, age) => {
    const drop = bench.service.query('select drop_log_partitions($1, now() - $2::interval)', [log, age]);
    await expect(drop).rejects.toMatchObject(PERMISSION_DENIED);
  });

  test('cannot drop a table that is not a log', async () => {
    for (const name of ['patients', 'audit_seals', 'events; drop table patients'])
      await expect(bench.service.query("select drop_log_partitions($1, '2000-01-01')", [name])).rejects.toMatchObject({
        code: '22023',
      });
  });
});

describe('a drop', () => {
  const drop = async (log: string, before: string): Promise<number> =>
    (await bench.service.query('select drop_log_partitions($1, $2) as dropped', [log, before])).rows[0].dropped;

  test('takes whole past months and leaves the rest', async () => {
    const ctx = bench.tenant();
    for (const at of ['2018-01-31T23:59:59.999Z', '2018-02-01T00:00:00Z', '2018-03-01T00:00:00Z'])
      await eventAt(bench.service, ctx.tenantId, at);
    await bench.service.query('select make_log_partitions()');
    expect(await drop('events', '2018-02-28T23:59:00Z')).toBe(1);
    expect(await drop('events', '2018-02-28T23:59:00Z')).toBe(0);
    expect(await homeOf('events', ctx.tenantId)).toEqual(['events_2018_02', 'events_2018_03']);
    expect(await drop('events', '2018-03-01T00:00:00Z')).toBe(1);
  });

  test('of events deletes their numbers, and the feed reports its oldest sequence', async () => {
    const [ctx, young] = [bench.tenant(), bench.tenant()];
    for (const at of ['2017-01-05', '2017-01-20', '2017-02-03']) await eventAt(bench.service, ctx.tenantId, at);
    await eventAt(bench.service, young.tenantId, new Date().toISOString());
    await bench.service.query('select make_log_partitions()');
    for (const { tenantId } of [ctx, young]) {
      await bench.service.query("select set_config('app.tenant_id', $1, false)", [tenantId]);
      await bench.service.query('select carelane_number_events(100)');
    }
    expect(await drop('events', '2017-02-01T00:00:00Z')).toBe(1);
    const numbers = await ctx.db.eventNumber.findMany({ orderBy: { sequence: 'asc' }, select: { sequence: true } });
    expect(numbers).toEqual([{ sequence: 3n }]);
    const feedOf = ({ db }: typeof ctx) =>
      db.eventFeed.findFirst({ select: { lastSequence: true, oldestSequence: true } });
    expect([await feedOf(ctx), await feedOf(young)]).toEqual([
      { lastSequence: 3n, oldestSequence: 3n },
      { lastSequence: 1n, oldestSequence: 1n },
    ]);
  });

  test('keeps a checkpoint of each chain, where verification starts', async () => {
    const [ctx, archived, young] = [bench.tenant(), bench.tenant(), bench.tenant()];
    for (const at of ['2016-01-05', '2016-01-20', '2016-02-03']) await bench.noteAt(ctx, `${at}T00:00:00Z`, 4);
    await bench.noteAt(archived, '2016-01-05T00:00:00Z', 3);
    await bench.note(young, 2);
    await bench.service.query('select make_log_partitions()');
    await sealAudit(bench.services);
    const [before] = await listAuditHeads(bench.services, ctx.tenantId);
    expect(await drop('audit_entries', '2016-02-01T00:00:00Z')).toBe(1);
    const report = await verifyAudit(bench.services, ctx.tenantId, [before!]);
    // The four entries of February, and the entry about the drop.
    expect(report).toMatchObject({ from: 8n, checked: 5, position: 13n, faults: [] });
    const entry = await ctx.db.auditEntry.findFirstOrThrow({ where: { action: 'audit.drop' } });
    expect(entry.details).toMatchObject({ position: 8, to: 8 });
    expect(await verifyAudit(bench.services, archived.tenantId)).toMatchObject({ from: 3n, checked: 1, faults: [] });
    expect(await verifyAudit(bench.services, young.tenantId)).toMatchObject({ from: 0n, checked: 2, faults: [] });

    const seals = () => ctx.db.auditSeal.count();
    expect(await seals()).toBe(13);
    while ((await bench.service.query('select trim_audit_seals(5) as n')).rows[0].n > 0);
    expect(await seals()).toBe(5);
    expect(await verifyAudit(bench.services, ctx.tenantId, [before!])).toMatchObject({ checked: 5, faults: [] });
    // A hash from before the checkpoint cannot be compared any more and is reported.
    const old = { position: 3n, hash: 'a'.repeat(64) };
    expect((await verifyAudit(bench.services, ctx.tenantId, [old])).faults).toMatchObject([{ problem: 'not_as_kept' }]);

    await bench.free.query("delete from audit_entries where tenant_id = $1 and created_at = '2016-02-03'", [
      ctx.tenantId,
    ]);
    expect((await verifyAudit(bench.services, ctx.tenantId)).faults).toMatchObject([
      { problem: 'removed', position: 9n },
    ]);
  });

  test('leaves the chain verifiable when entries were sealed out of month order', async () => {
    const ctx = bench.tenant();
    const months = ['2015-01', '2015-01', '2015-02', '2015-01', '2015-02'];
    for (const month of months) {
      await bench.noteAt(ctx, `${month}-11T00:00:00Z`);
      await sealAudit(bench.services);
    }
    await bench.service.query('select make_log_partitions()');
    expect(await drop('audit_entries', '2015-02-01T00:00:00Z')).toBe(1);
    await bench.service.query('select trim_audit_seals(1000)');
    expect(await verifyAudit(bench.services, ctx.tenantId)).toMatchObject({ from: 2n, checked: 4, faults: [] });
    // The third and the fifth entry are still verified, although the fourth between them was dropped.
    await bench.free.query(
      "update audit_entries set actor_id = 'x' where tenant_id = $1 and created_at = '2015-02-11'",
      [ctx.tenantId],
    );
    expect((await verifyAudit(bench.services, ctx.tenantId)).faults).toMatchObject([
      { problem: 'changed', position: 3n },
    ]);
    expect(await drop('audit_entries', '2015-03-01T00:00:00Z')).toBe(1);
    expect(await verifyAudit(bench.services, ctx.tenantId)).toMatchObject({ from: 5n, faults: [] });
  });

  test('that never happened is detected: a checkpoint is valid only with its entry in the chain', async () => {
    const ctx = bench.tenant();
    await bench.note(ctx, 9);
    await sealAudit(bench.services);
    await bench.free.query(
      `delete from audit_entries e using audit_seals s where s.entry_id = e.id and s.tenant_id = $1 and s.position <= 6`,
      [ctx.tenantId],
    );
    await bench.free.query(
      `update audit_chains c set checkpoint_position = 6, checkpoint_hash = s.hash, dropped_to = 6, dropped_before = '2019-01-01'
       from audit_seals s where c.tenant_id = $1 and s.tenant_id = $1 and s.position = 6`,
      [ctx.tenantId],
    );
    await bench.free.query('delete from audit_seals where tenant_id = $1 and position <= 6', [ctx.tenantId]);
    expect((await verifyAudit(bench.services, ctx.tenantId)).faults).toMatchObject([{ problem: 'other_checkpoint' }]);
  });
});
