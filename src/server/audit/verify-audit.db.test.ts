import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditBench, withAuditLog } from '#dev/testing/audit-log.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { testSettings } from '#dev/testing/services.ts';
import { bundleProgram } from '#dev/testing/start-service-process.ts';
import type { Context } from '#server/core/context.ts';
import { formatAuditHead, listAuditHeads } from './audit-heads.ts';
import { sealAudit } from './seal-audit.ts';
import { verifyAudit } from './verify-audit.ts';

/** The default run starts the command twice: for an intact log and for a broken one. */
const LONG = Boolean(process.env.PROVE);

let bench: AuditBench;
beforeAll(async () => {
  bench = await withAuditLog(await withClinic());
});
afterAll(() => bench?.stop());

const faultsOf = async (ctx: Context) => (await verifyAudit(bench.services, ctx.tenantId)).faults;
/** Creates a tenant with sealed entries and returns their ids. */
async function sealed(count = 10): Promise<{ ctx: Context; ids: string[] }> {
  const ctx = bench.tenant();
  const ids = await bench.note(ctx, count);
  await sealAudit(bench.services);
  return { ctx, ids };
}
const headOf = async ({ tenantId }: Context) => {
  const [head] = await listAuditHeads(bench.services, tenantId);
  return head!;
};

describe('an untouched chain', () => {
  test('is intact with sealed and unsealed entries', async () => {
    const { ctx } = await sealed();
    await bench.note(ctx, 5);
    const report = await verifyAudit(bench.services, ctx.tenantId);
    expect(report).toMatchObject({ checked: 15, position: 15n, from: 0n, faults: [] });
    expect(report.hash).toBe((await headOf(ctx)).hash);
  });

  test('is intact over several pages', async () => {
    const ctx = bench.tenant();
    await bench.noteAt(ctx, new Date().toISOString(), 11_000);
    expect(await verifyAudit(bench.services, ctx.tenantId)).toMatchObject({ checked: 11_000, faults: [] });
  });

  test('is intact without entries', async () => {
    expect(await faultsOf(bench.tenant())).toEqual([]);
  });
});

describe('a row that the database owner', () => {
  const CHANGES: [string, string][] = [
    ['actor', "actor_id = 'another'"],
    ['action', "action = 'patients.get'"],
    ['details', "details = '{}'"],
    ['position', 'position = position + 1000000'],
    ['an empty column', "address = '192.0.2.1'"],
    ['time', "created_at = created_at + interval '1 second'"],
    ['time, by a month', "created_at = created_at + interval '31 days'"],
  ];
  test.each(CHANGES)('changed is reported: %s', async (_, change) => {
    const { ctx, ids } = await sealed();
    await bench.free.query(`update audit_entries set ${change} where id = $1`, [ids[4]]);
    expect(await faultsOf(ctx)).toEqual([{ problem: 'changed', position: 5n, entryId: ids[4] }]);
  });

  test.each([0, 4, 9])('removed is reported: at %i', async (at) => {
    const { ctx, ids } = await sealed();
    await bench.free.query('delete from audit_entries where id = $1', [ids[at]]);
    expect(await faultsOf(ctx)).toEqual([{ problem: 'removed', position: BigInt(at + 1), entryId: ids[at] }]);
  });

  test('removed before it was sealed is reported', async () => {
    const { ctx } = await sealed();
    const [id] = await bench.note(ctx, 1);
    await bench.free.query('delete from audit_entries where id = $1', [id]);
    expect(await faultsOf(ctx)).toEqual([{ problem: 'removed', position: null, entryId: id }]);
  });

  test('inserted is reported, at the end and in between', async () => {
    for (const position of ['default', '(select min(position) + 3 from audit_entries where tenant_id = $1)']) {
      const { ctx } = await sealed();
      const { rows } = await bench.free.query(
        `insert into audit_entries (id, tenant_id, position, action, object_type, object_id, actor_type, actor_id, request_id)
         values (gen_random_uuid(), $1, ${position}, 'patients.get', 'Patient', 'x', 'System', 'x', 'x') returning id`,
        [ctx.tenantId],
      );
      expect(await faultsOf(ctx)).toEqual([{ problem: 'inserted', position: null, entryId: rows[0].id }]);
    }
  });

  const content = ['action', 'object_id', 'details', 'request_id'];
  test.each([
    ['positions', ['position']],
    ['ids', ['id']],
    ['contents', content],
  ])('swapped with another is reported: %s', async (_, columns) => {
    const { ctx, ids } = await sealed();
    const pair = [ids[2], ids[6]];
    // Uses a temporary id, because the key is unique at any moment.
    if (columns.includes('id'))
      for (const [from, to] of [
        [pair[0], ctx.tenantId],
        [pair[1], pair[0]],
        [ctx.tenantId, pair[1]],
      ])
        await bench.free.query('update audit_entries set id = $2 where id = $1', [from, to]);
    else
      await bench.free.query(
        `update audit_entries a set ${columns.map((name) => `${name} = b.${name}`).join(', ')} from audit_entries b
         where a.id = any($1) and b.id = any($1) and a.id <> b.id`,
        [pair],
      );
    const [first] = await faultsOf(ctx);
    expect(first).toMatchObject({ problem: 'swapped', position: 3n, entryId: ids[2], otherId: ids[6] });
  });
});

describe('seals', () => {
  test('that are swapped, changed or missing in the middle are reported', async () => {
    const swapped = await sealed();
    await bench.free.query('drop index audit_seals_tenant_id_entry_id_key');
    await bench.free.query(
      `update audit_seals a set entry_id = b.entry_id, entry_created_at = b.entry_created_at from audit_seals b
       where a.tenant_id = $1 and b.tenant_id = $1 and (a.position, b.position) in ((3, 7), (7, 3))`,
      [swapped.ctx.tenantId],
    );
    await bench.free.query(
      'create unique index audit_seals_tenant_id_entry_id_key on audit_seals (tenant_id, entry_id)',
    );
    expect(await faultsOf(swapped.ctx)).toMatchObject([{ problem: 'swapped', position: 3n, otherId: swapped.ids[2] }]);

    const changed = await sealed();
    await bench.free.query("update audit_seals set hash = sha256('x') where tenant_id = $1 and position = 4", [
      changed.ctx.tenantId,
    ]);
    expect(await faultsOf(changed.ctx)).toEqual([{ problem: 'changed', position: 4n, entryId: changed.ids[3] }]);

    const removed = await sealed();
    await bench.free.query('delete from audit_seals where tenant_id = $1 and position = 4', [removed.ctx.tenantId]);
    expect(await faultsOf(removed.ctx)).toEqual([{ problem: 'seal_missing', position: 4n, entryId: removed.ids[3] }]);
  });

  test('that are missing at the end are reported, with or without their rows, and after later writes', async () => {
    const { ctx, ids } = await sealed();
    await bench.free.query('delete from audit_seals where tenant_id = $1 and position > 8', [ctx.tenantId]);
    expect(await faultsOf(ctx)).toEqual([{ problem: 'end_missing', position: 9n, entryId: ids[8] }]);
    await bench.free.query('delete from audit_entries where id = any($1)', [ids.slice(8)]);
    expect(await faultsOf(ctx)).toEqual([{ problem: 'end_missing', position: 9n, entryId: null }]);
    await bench.note(ctx, 1);
    expect(await faultsOf(ctx)).toMatchObject([{ problem: 'seal_missing', position: 9n }]);
  });

  test('that the owner recreated are detected only with a stored head', async () => {
    const { ctx, ids } = await sealed();
    const storedHead = await headOf(ctx);
    await bench.note(ctx, 3);
    expect((await verifyAudit(bench.services, ctx.tenantId, [storedHead])).faults).toEqual([]);
    await bench.free.query("update audit_entries set actor_id = 'another' where id = $1", [ids[5]]);
    await bench.free.query(
      `insert into audit_unsealed select e.tenant_id, e.position, e.id, e.created_at from audit_entries e
       join audit_seals s on s.entry_id = e.id where s.tenant_id = $1 and s.position > 5`,
      [ctx.tenantId],
    );
    await bench.free.query('delete from audit_seals where tenant_id = $1 and position > 5', [ctx.tenantId]);
    await bench.free.query(
      `update audit_chains c set position = s.position, hash = s.hash from audit_seals s
       where c.tenant_id = $1 and s.tenant_id = $1 and s.position = 5`,
      [ctx.tenantId],
    );
    const report = await verifyAudit(bench.services, ctx.tenantId);
    expect(report).toMatchObject({ position: 13n, faults: [] });
    expect((await verifyAudit(bench.services, ctx.tenantId, [storedHead])).faults).toEqual([
      { problem: 'not_as_kept', position: 10n, entryId: null },
    ]);
  });

  test('of one tenant are independent of others: a moved row is missing here and inserted there', async () => {
    const [one, other] = [await sealed(), await sealed()];
    await bench.free.query('update audit_entries set tenant_id = $2 where id = $1', [one.ids[1], other.ctx.tenantId]);
    expect(await faultsOf(one.ctx)).toEqual([{ problem: 'removed', position: 2n, entryId: one.ids[1] }]);
    expect(await faultsOf(other.ctx)).toEqual([{ problem: 'inserted', position: null, entryId: one.ids[1] }]);
  });
});

describe('the command', () => {
  let bundled: Awaited<ReturnType<typeof bundleProgram>>;
  beforeAll(async () => {
    bundled = await bundleProgram('../../admin/audit-verify.ts');
  });
  afterAll(() => bundled?.remove());

  const spawned = (...argv: string[]) => {
    const env = { ...process.env, ...testSettings(bench.database) };
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { env, encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };
  /** Runs the bundled file, which starts much faster. */
  const run = (...args: string[]) => spawned(bundled.file, ...args);
  const script = path.resolve(import.meta.dirname, '../../admin/audit-verify.ts');

  test('prints heads, reports an intact log, and exits with 1 for a broken one', { timeout: 300_000 }, async () => {
    const { ctx } = bench;
    const id = ctx.tenantId;
    const ids = await bench.note(ctx, 4);
    await sealAudit(bench.services);
    const storedHead = await headOf(ctx);
    const head = { status: 0, output: `${formatAuditHead(storedHead)}\n` };
    const intact = { status: 0, output: `${formatAuditHead(storedHead)} holds: ${storedHead.position} checked\n` };
    if (LONG) expect(run('--head')).toEqual(head);
    if (LONG) expect(spawned('--import', 'tsx', script, '--head')).toEqual(head);
    if (LONG) expect(run()).toEqual(intact);

    const dir = await mkdtemp(path.join(tmpdir(), 'carelane-heads-'));
    const file = path.join(dir, 'heads');
    await writeFile(file, `2026-11-22T02:47:00.000Z ${formatAuditHead(storedHead)}\n`);
    expect(run('--expect-file', file)).toEqual(intact);
    if (LONG) {
      await writeFile(file, `2026-11-22T02:47:00.000Z ${formatAuditHead({ ...storedHead, hash: 'a'.repeat(64) })}\n`);
      expect(run('--expect-file', file)).toMatchObject({
        status: 1,
        output: expect.stringContaining('BROKEN at position'),
      });
      expect(run('--tenant', id, '--expect', `${storedHead.position}:${storedHead.hash}`).status).toBe(0);
      expect(run('--tenant', id, '--expect', `${storedHead.position}:${'b'.repeat(64)}`).status).toBe(1);
      expect(run('--expect', '1:2')).toMatchObject({ status: 1, output: expect.stringContaining('needs --tenant') });
    }
    await rm(dir, { recursive: true });

    await bench.free.query("update audit_entries set actor_id = 'another' where id = $1", [ids[1]]);
    const { status, output } = run('--tenant', id);
    expect([status, output]).toEqual([1, expect.stringContaining(`entry ${ids[1]}: was changed after it was sealed`)]);
  });
});
