import type { AuditEntryView, ExportAuditInput } from '#contract/audit.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { noteAccess } from '#server/core/note-access.ts';
import { matching } from './find-entries.ts';
import { readAll } from './list-entries.ts';

const COLUMNS: [string, (entry: AuditEntryView) => string | number | null][] = [
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
];

/**
 * The log as a text that grows while it is sent, the latest entry first. Admins only. The export is an entry itself,
 * which stands before the first byte leaves.
 */
export async function exportEntries(ctx: Context, input: ExportAuditInput): Promise<AsyncIterable<string>> {
  const { format, ...filter } = input;
  const patients = filter.patient_id ? [filter.patient_id] : [];
  const about = { action: 'audit.export', object: { type: 'AuditLog', id: '*' }, patients };
  try {
    requireAdmin(ctx.actor);
  } catch (error) {
    await noteAccess(ctx, { ...about, outcome: 'forbidden' });
    throw error;
  }
  await noteAccess(ctx, { ...about, details: { format, filters: Object.keys(filter) } });
  const where = matching(ctx.tenantId, filter);
  const batches = readAll(ctx, where);
  return format === 'csv' ? asCsv(batches) : asLines(batches);
}

async function* asCsv(batches: AsyncIterable<AuditEntryView[]>): AsyncGenerator<string> {
  // Spreadsheet programs take it for their own country's encoding otherwise.
  yield `\ufeff${COLUMNS.map(([name]) => name).join(',')}\r\n`;
  for await (const entries of batches)
    yield entries.map((entry) => `${COLUMNS.map(([, read]) => cell(read(entry))).join(',')}\r\n`).join('');
}

async function* asLines(batches: AsyncIterable<AuditEntryView[]>): AsyncGenerator<string> {
  for await (const entries of batches) yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

/** Spreadsheet programs calculate what begins so, even in quotes: a patient may be called `=HYPERLINK(…)`. */
const FORMULA = /^[\s]*[=+\-@\t\r]/;

/** RFC 4180, with what a spreadsheet would run made plain text by an apostrophe. */
export function cell(value: string | number | null): string {
  const text = value === null ? '' : `${value}`;
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n;']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
