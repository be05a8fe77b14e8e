import type { AuditChainView, AuditProblemView } from '#contract/audit.ts';
import { requireAdmin } from '#server/core/actor.ts';
import { HOUR, MINUTE } from '#server/core/clock.ts';
import type { Context, Services } from '#server/core/context.ts';
import { type Db, Prisma } from '#server/core/db.ts';
import { enqueue } from '#server/core/jobs.ts';
import { record } from '#server/core/record.ts';
import { type AuditFault, verifyAudit } from './verify-audit.ts';

/** Time without progress after which a check counts as dead and can be requested again. */
const STALLED_AFTER_MS = 2 * MINUTE;
/** The daily job skips tenants checked within this time, so that it continues where a killed process stopped. */
const RECENT_MS = 20 * HOUR;
const MAX_COUNTED = 1000;
const MAX_ATTEMPTS = 3;

type Row = {
  position: bigint | null;
  sealed_at: Date | null;
  checkpoint_position: bigint | null;
  waiting: number;
  waiting_since: Date | null;
};

/** Returns how far the audit log is sealed, and the result of the last check. Admins only. */
export async function getAuditChain(ctx: Context): Promise<AuditChainView> {
  requireAdmin(ctx.actor, 'audit:read');
  const { db, tenantId, clock } = ctx;
  const [[row], check] = await Promise.all([
    db.$queryRaw<[Row]>`
      select c.position, c.sealed_at, c.checkpoint_position, w.count as waiting, w.since as waiting_since
      from (select count(*)::int as count, min(entry_created_at) as since from (
          select entry_created_at from audit_unsealed where tenant_id = ${tenantId}::uuid
          order by position limit ${MAX_COUNTED}::int) u) w
        left join audit_chains c on c.tenant_id = ${tenantId}::uuid`,
    db.auditCheck.findFirst({ where: { tenantId } }),
  ]);
  const isRunning = check?.isRunning && clock.now().getTime() - check.toldAt.getTime() < STALLED_AFTER_MS;
  return {
    sealed_through: Number(row.position ?? 0n),
    sealed_at: row.sealed_at?.toISOString() ?? null,
    waiting: row.waiting,
    waiting_since: row.waiting_since?.toISOString() ?? null,
    held_from: Number(row.checkpoint_position ?? 0n) + 1,
    running: isRunning
      ? { asked_at: check.askedAt.toISOString(), checked: Number(check.checked), total: Number(check.total) }
      : null,
    last: check?.endedAt
      ? {
          at: check.endedAt.toISOString(),
          through: Number(check.through ?? 0n),
          fault: check.fault as AuditProblemView | null,
        }
      : null,
  };
}

/** Queues a check of the log, unless one is running. Admins only. */
export async function requestAuditCheck(ctx: Context): Promise<AuditChainView> {
  requireAdmin(ctx.actor, 'audit:read');
  const { tenantId, clock } = ctx;
  const now = clock.now();
  await ctx.db.$transaction(async (tx) => {
    // Of concurrent requests only one starts the check.
    const started = await tx.$executeRaw`
      insert into audit_checks as c (tenant_id, asked_at, told_at) values (${tenantId}::uuid, ${now}, ${now})
      on conflict (tenant_id) do update set asked_at = ${now}, told_at = ${now}, is_running = true, checked = 0, total = 0
      where not c.is_running or c.told_at < ${new Date(now.getTime() - STALLED_AFTER_MS)}`;
    if (started === 0) return;
    await record(tx, ctx, { action: 'audit.check', object: { type: 'AuditLog', id: '*' } });
    await enqueue(tx, 'check_audit', { tenantId }, { key: `check_audit:${tenantId}`, maxAttempts: MAX_ATTEMPTS });
  });
  return getAuditChain(ctx);
}

/** Checks one tenant's log, updates the progress and stores the result. Idempotent. */
export async function checkAudit(services: Services, { tenantId }: { tenantId: string }): Promise<void> {
  const { database, clock, log } = services;
  const db = database.forTenant(tenantId);
  const reportProgress = async (checked: number, total: number) => {
    await saveCheck(db, tenantId, clock.now(), { isRunning: true, checked, total });
  };
  await reportProgress(0, 0);
  const report = await verifyAudit(services, tenantId, [], reportProgress);
  const [first] = report.faults;
  if (first) log.error({ tenantId, problem: first.problem, entry: first.entryId }, 'the audit log does not hold');
  const now = clock.now();
  await saveCheck(db, tenantId, now, {
    isRunning: false,
    checked: report.checked,
    endedAt: now,
    through: report.position,
    fault: first ? await presentFault(db, tenantId, first) : Prisma.DbNull,
  });
}

/** Checks every tenant's log in sequence, so that other jobs are not delayed. */
export async function checkAudits(services: Services): Promise<void> {
  const { database, clock, log } = services;
  const errors: unknown[] = [];
  for (const tenantId of await database.tenantsOf('tenants')) {
    const last = await database.forTenant(tenantId).auditCheck.findFirst({ where: { tenantId } });
    if (last?.endedAt && clock.now().getTime() - last.endedAt.getTime() < RECENT_MS) continue;
    await checkAudit(services, { tenantId }).catch((error: Error) => {
      log.error({ tenantId, err: error.message }, 'the audit log of a tenant could not be checked');
      errors.push(error);
    });
  }
  if (errors.length > 0) throw errors[0];
}

type CheckUpdate = {
  isRunning: boolean;
  checked: number;
  total?: number;
  endedAt?: Date;
  through?: bigint;
  fault?: StoredFault;
};
type StoredFault = Prisma.InputJsonObject | typeof Prisma.DbNull;

const saveCheck = (db: Db, tenantId: string, now: Date, update: CheckUpdate) =>
  db.auditCheck.upsert({
    where: { tenantId },
    create: { tenantId, askedAt: now, toldAt: now, ...update },
    update: { toldAt: now, ...update },
  });

/** Adds when the entry was written, from its seal or from the entry itself. */
async function presentFault(db: Db, tenantId: string, fault: AuditFault): Promise<AuditProblemView> {
  const { problem, position, entryId, otherId } = fault;
  const sealOf = (where: Prisma.AuditSealWhereInput) => db.auditSeal.findFirst({ where: { tenantId, ...where } });
  const [seal, entry, other] = await Promise.all([
    position === null ? null : sealOf({ position }),
    entryId === null
      ? null
      : db.auditEntry.findFirst({ where: { tenantId, id: entryId }, select: { createdAt: true } }),
    otherId === undefined ? null : sealOf({ entryId: otherId }),
  ]);
  return {
    problem,
    position: position === null ? null : Number(position),
    written_at: (seal?.entryCreatedAt ?? entry?.createdAt)?.toISOString() ?? null,
    entry_id: entryId,
    other_position: other ? Number(other.position) : null,
  };
}
