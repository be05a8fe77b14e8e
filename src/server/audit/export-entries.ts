import type { AuditEntryView, ExportAuditInput } from '#contract/audit.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { asCsv, type CsvColumn } from '#server/core/csv.ts';
import { recordAccess } from '#server/core/record-access.ts';
import { auditFilter } from './find-entries.ts';
import { streamEntries } from './list-entries.ts';

const COLUMNS: CsvColumn<AuditEntryView>[] = [
  ['at', ({ at }) => at],
  ['action', ({ action }) => action],
  ['outcome', ({ outcome }) => outcome],
  ['actor_type', ({ actor }) => actor.type],
  ['actor_id', ({ actor }) => actor.id],
  ['actor_name', ({ actor }) => actor.name],
  ['on_behalf_of', ({ on_behalf_of }) => on_behalf_of?.id ?? null],
  ['object_type', ({ object }) => object.type],
  ['object_id', ({ object }) => object.id],
  ['patient_ids', ({ patients }) => patients.map(({ id }) => id).join(' ')],
  ['patient_names', ({ patients }) => patients.map(({ name }) => name ?? '').join('; ')],
  ['address', ({ address }) => address],
  ['device', ({ device }) => device],
  ['request_id', ({ request_id }) => request_id],
  ['details', ({ details }) => JSON.stringify(details)],
  ['id', ({ id }) => id],
  ['object_name', ({ object }) => object.name],
  ['event', ({ event }) => event],
  ['payment_amount', ({ payment }) => payment?.amount ?? null],
  ['payment_total', ({ payment }) => payment?.total ?? null],
  ['payment_currency', ({ payment }) => payment?.currency ?? null],
];

/**
 * Streams the log, the latest entry first. Admins only. The export itself is recorded before the first byte is sent.
 */
export async function exportEntries(ctx: Context, input: ExportAuditInput): Promise<AsyncIterable<string>> {
  const { format, ...filter } = input;
  const patients = filter.patient_id ? [filter.patient_id] : [];
  const access = { action: 'audit.export' as const, object: { type: 'AuditLog', id: '*' }, patients };
  try {
    requireAdmin(ctx.actor, 'audit:read');
  } catch (error) {
    await recordAccess(ctx, { ...access, outcome: 'forbidden' });
    throw error;
  }
  await recordAccess(ctx, { ...access, details: { format, filters: Object.keys(filter) } });
  const where = auditFilter(ctx.tenantId, filter);
  const batches = streamEntries(ctx, where);
  return format === 'csv' ? asCsv(COLUMNS, batches) : asLines(batches);
}

async function* asLines(batches: AsyncIterable<AuditEntryView[]>): AsyncGenerator<string> {
  for await (const entries of batches) yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}
