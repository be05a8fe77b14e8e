import type { AuditEntryView, ListAuditInput } from '#contract/audit.ts';
import { currentAction } from '#contract/audit-actions.ts';
import type { Page } from '#contract/conventions.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Prisma } from '#server/core/db.ts';
import { isId } from '#server/core/ids.ts';
import { readPage } from '#server/core/paging.ts';
import { findNames, presentActor } from './actor-names.ts';
import { auditFilter, type EntryRow, findEntries } from './find-entries.ts';
import { findObjects, objectName, paymentOf } from './object-names.ts';

/** Lists the audit log, the latest entry first. Admins only. */
export async function listEntries(ctx: Context, input: ListAuditInput): Promise<Page<AuditEntryView>> {
  requireAdmin(ctx.actor, 'audit:read');
  const { db, tenantId } = ctx;
  const where = auditFilter(tenantId, input);
  const page = await readPage(
    input,
    {
      what: 'entry',
      async keyOf(id) {
        if (!isId(id)) return null;
        const row = await db.auditEntry.findFirst({ where: { tenantId, id }, select: { position: true } });
        return row?.position ?? null;
      },
      read: ({ backwards, limit, beyond }) => findEntries(db, { where, beyond, backwards, limit }),
      async count(most) {
        const [result] = await db.$queryRaw<[{ count: number }]>`
          select count(*)::int as count from (
            select from audit_entries where ${where} limit ${most ?? null}::int) e`;
        return result.count;
      },
    },
    (row) => row,
  );
  for (const { patients } of page.items) for (const id of patients) ctx.trail.patients.add(id);
  return { ...page, items: await presentEntries(ctx, page.items) };
}

/** The object type of the timeline in entries of earlier releases. */
const FORMER_TYPE = 'Story';

async function presentEntries(ctx: Context, rows: EntryRow[]): Promise<AuditEntryView[]> {
  const [names, objects] = await Promise.all([findNames(ctx, rows), findObjects(ctx, rows)]);
  const patient = (id: string) => ({ id, name: names.patients.get(id) ?? null });
  return rows.map((row) => ({
    id: row.id,
    at: row.createdAt.toISOString(),
    action: currentAction(row.action),
    outcome: row.outcome ?? 'done',
    actor: presentActor(row, names),
    on_behalf_of: row.onBehalfOf === null ? null : patient(row.onBehalfOf),
    object: {
      type: row.objectType === FORMER_TYPE ? 'Timeline' : row.objectType,
      id: row.objectId,
      name: objectName(row, names, objects),
    },
    event: row.event,
    payment: paymentOf(row, objects),
    patients: row.patients.map(patient),
    patient_count: row.patientCount,
    address: row.address,
    device: row.userAgent,
    request_id: row.requestId,
    details: row.details,
  }));
}

/** Reads all entries in batches, as of the start of the read. */
export async function* streamEntries(ctx: Context, where: Prisma.Sql): AsyncGenerator<AuditEntryView[]> {
  const [newest] = await findEntries(ctx.db, { where, beyond: null, limit: 1 });
  let beyond = newest ? newest.position + 1n : null;
  while (beyond !== null) {
    const rows: EntryRow[] = await findEntries(ctx.db, { where, beyond, limit: BATCH, allPatients: true });
    if (rows.length > 0) yield await presentEntries(ctx, rows);
    beyond = rows.length < BATCH ? null : (rows.at(-1)?.position ?? null);
  }
}
const BATCH = 1000;
