import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditChainView } from '#contract/audit.ts';
import { type AuditBench, withAuditLog } from '#dev/testing/audit-log.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { actorOfStaff } from '#server/core/actor.ts';
import { MINUTE } from '#server/core/clock.ts';
import { type Context, contextFor } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { checkAudit, checkAudits, getAuditChain, requestAuditCheck } from './check-audit.ts';
import { sealAudit } from './seal-audit.ts';

let bench: AuditBench;
beforeAll(async () => {
  bench = await withAuditLog(await withClinic());
});
afterAll(() => bench?.stop());

const as = (kind: 'admin' | 'practitioner', { tenantId }: Context): Context => {
  const actor = actorOfStaff({ role: kind, tenantId, userId: newId() });
  return contextFor(bench.services, actor, { requestId: newId(), ip: '192.0.2.7' });
};
/** Creates a tenant with ten sealed entries; returns an admin context and the ids. */
async function sealed() {
  const clinic = await bench.clinic();
  const ids = await bench.note(clinic, 10);
  await sealAudit(bench.services);
  return { ctx: as('admin', clinic), ids };
}
const check = async (ctx: Context): Promise<AuditChainView> => {
  await checkAudit(bench.services, { tenantId: ctx.tenantId });
  return getAuditChain(ctx);
};
const jobsOf = async ({ tenantId }: Context) =>
  (
    await bench.owner.query(
      `select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
       where identifier = 'check_audit' and payload->>'tenantId' = $1`,
      [tenantId],
    )
  ).rows.length;

describe('getAuditChain', () => {
  test('returns how far and when the log was sealed, the waiting entries, and no check before the first', async () => {
    const before = new Date();
    const { ctx } = await sealed();
    const chain = await getAuditChain(ctx);
    expect(chain).toMatchObject({ waiting: 0, waiting_since: null, held_from: 1, running: null, last: null });
    expect(chain.sealed_through).toBeGreaterThanOrEqual(10);
    expect(Date.parse(chain.sealed_at!)).toBeGreaterThanOrEqual(before.getTime() - 1000);
    await bench.note(ctx, 3);
    const later = await getAuditChain(ctx);
    expect(later).toMatchObject({ waiting: 3, sealed_through: chain.sealed_through, sealed_at: chain.sealed_at });
    expect(later.waiting_since).not.toBeNull();
  });

  test('returns the last result: intact, then broken with the position, then intact after a repair', async () => {
    const { ctx, ids } = await sealed();
    const intact = await check(ctx);
    expect(intact).toMatchObject({ running: null, last: { fault: null, through: intact.sealed_through } });
    const { rows } = await bench.free.query(
      `update audit_entries e set action = 'patients.get' from audit_seals s where e.id = $1 and s.entry_id = e.id
       returning s.position, e.created_at`,
      [ids[4]],
    );
    const position = Number(rows[0].position);
    expect((await check(ctx)).last!.fault).toEqual({
      problem: 'changed',
      position,
      written_at: rows[0].created_at.toISOString(),
      entry_id: ids[4],
      other_position: null,
    });
    await bench.free.query("update audit_entries set action = 'patients.update' where id = $1", [ids[4]]);
    expect((await check(ctx)).last!.fault).toBeNull();
  });

  test('returns the time of a removed row, and the position that a row was swapped with', async () => {
    const removed = await sealed();
    const { rows } = await bench.free.query('delete from audit_entries where id = $1 returning created_at', [
      removed.ids[2],
    ]);
    expect((await check(removed.ctx)).last!.fault).toMatchObject({
      problem: 'removed',
      written_at: rows[0].created_at.toISOString(),
    });
    const { ctx, ids } = await sealed();
    const pair = [ids[2], ids[6]];
    await bench.free.query(
      `update audit_entries a set position = b.position from audit_entries b
       where a.id = any($1) and b.id = any($1) and a.id <> b.id`,
      [pair],
    );
    const { fault } = (await check(ctx)).last!;
    expect(fault).toMatchObject({ problem: 'swapped', other_position: fault!.position! + 4 });
  });

  test('returns the progress of a running check', async () => {
    const ctx = as('admin', await bench.clinic());
    await bench.noteAt(ctx, new Date().toISOString(), 11_000);
    const seen: AuditChainView['running'][] = [];
    let over = false;
    const watching = (async () => {
      while (!over) seen.push((await getAuditChain(ctx)).running);
    })();
    await checkAudit(bench.services, { tenantId: ctx.tenantId }).finally(() => {
      over = true;
    });
    await watching;
    expect(seen).toContainEqual(expect.objectContaining({ checked: 5000, total: expect.any(Number) }));
    expect((await getAuditChain(ctx)).running).toBeNull();
  });
});

describe('a requested check', () => {
  test('is queued and recorded once for concurrent requests, and again when a check stalls', async () => {
    const { ctx } = await sealed();
    const views = await Promise.all(Array.from({ length: 5 }, () => requestAuditCheck(ctx)));
    expect(views.map(({ running }) => running?.checked)).toEqual([0, 0, 0, 0, 0]);
    expect(await jobsOf(ctx)).toBe(1);
    const entries = () => ctx.db.auditEntry.count({ where: { action: 'audit.check' } });
    expect(await entries()).toBe(1);
    await ctx.db.auditCheck.updateMany({ data: { toldAt: new Date(Date.now() - 3 * MINUTE) } });
    expect((await getAuditChain(ctx)).running).toBeNull();
    expect((await requestAuditCheck(ctx)).running).not.toBeNull();
    expect(await entries()).toBe(2);
    expect(await jobsOf(ctx)).toBe(1);
  });

  test('and its result are available to admins only', async () => {
    const nurse = as('practitioner', await bench.clinic());
    await expect(getAuditChain(nurse)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(requestAuditCheck(nurse)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await jobsOf(nurse)).toBe(0);
  });
});

test('the daily job checks every tenant without a recent check, also after a broken one', async () => {
  const [one, two] = [await sealed(), await sealed()];
  await bench.free.query('delete from audit_entries where id = $1', [one.ids[3]]);
  await checkAudits(bench.services);
  const [broken, intact] = await Promise.all([getAuditChain(one.ctx), getAuditChain(two.ctx)]);
  expect([broken.last?.fault?.problem, intact.last?.fault]).toEqual(['removed', null]);
  await checkAudits(bench.services);
  expect((await getAuditChain(two.ctx)).last).toEqual(intact.last);
});
