import type { AuditEntryView } from '#contract/audit.ts';
import type { ErrorCode } from '#contract/errors.ts';
import type { ExportChartInput } from '#contract/timeline.ts';
import { auditFilter, streamEntries } from '#server/audit/index.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { tokenOfTenant } from '#server/core/ids.ts';
import { recordAccess } from '#server/core/record-access.ts';
import { isStored, listEventRows, presentEvent } from '#server/events/index.ts';
import { listMerged } from '#server/patients/index.ts';
import { NOT_EXPORTED, SECTIONS, type Section } from './export-sections.ts';

const BATCH = 500;

/**
 * Streams all stored data of one patient, and of the records merged into theirs, as a JSON object, without secrets, keys
 * and links. Admins only. The export is recorded in the audit log before the first byte is sent.
 *
 * @throws forbidden, not_found.
 */
export async function exportChart(
  ctx: Context,
  { patient_id, format }: ExportChartInput,
): Promise<AsyncIterable<string>> {
  const access = {
    action: 'patients.export' as const,
    object: { type: 'Patient', id: patient_id },
    patients: [patient_id],
  };
  const { clinic, ids } = await authorizeExport(ctx, patient_id).catch(async (error: unknown) => {
    if (error instanceof CarelaneError) await recordAccess(ctx, { ...access, outcome: error.code as ErrorCode });
    throw error;
  });
  await recordAccess(ctx, { ...access, details: { format } });
  return asJson(ctx, ids, clinic);
}

/** Checks access; returns the clinic's name, and the ids of the patient and of the records merged into theirs. */
async function authorizeExport(ctx: Context, id: string): Promise<{ clinic: string; ids: string[] }> {
  const { db, tenantId } = ctx;
  requireAdmin(ctx.actor, 'charts:export');
  const ids = await listMerged(ctx, id);
  const { name } = await db.tenant.findUniqueOrThrow({ where: { id: tenantId }, select: { name: true } });
  return { clinic: name, ids: [id, ...ids.filter((one) => one !== id)] };
}

type Rows = AsyncIterable<unknown[]>;

async function* asJson(ctx: Context, ids: string[], clinic: string): AsyncGenerator<string> {
  const head = {
    format: 'carelane.patient.1',
    patient_id: ids[0],
    exported_at: ctx.clock.now().toISOString(),
    clinic,
    left_out: NOT_EXPORTED,
  };
  yield JSON.stringify(head).slice(0, -1);
  const links = linksOf(ctx);
  const sections: [string, Rows][] = [
    ...SECTIONS.map((section): [string, Rows] => [section.name, rowsOf(ctx, section, ids)]),
    ['events', ofEach(ids, (id) => eventsOf(ctx, id))],
    ['audit_log', ofEach(ids, (id) => entriesOf(ctx, id))],
  ];
  for (const [name, batches] of sections) {
    yield `,\n${JSON.stringify(name)}:[`;
    let isFirst = true;
    for await (const rows of batches) {
      const text = rows.map((row) => JSON.stringify(row)).join(',\n');
      if (text) yield `${isFirst ? '' : ','}\n${text.replace(links, LINK_LEFT_OUT)}`;
      isFirst &&= !text;
    }
    yield ']';
  }
  yield '}\n';
}

async function* ofEach(ids: string[], read: (id: string) => Rows): AsyncGenerator<unknown[]> {
  for (const id of ids) yield* read(id);
}

const LINK_LEFT_OUT = 'left-out';
/**
 * Matches tokens of links anywhere: in a location, in an event. Each starts with the tenant's prefix, which nothing
 * else contains.
 */
const linksOf = ({ tenantId }: Context): RegExp =>
  new RegExp(`${tokenOfTenant(tenantId, '').replace('.', '\\.')}[A-Za-z0-9_-]{16,}`, 'g');

async function* rowsOf(ctx: Context, section: Section, ids: string[]): AsyncGenerator<unknown[]> {
  const { table, patientColumn = 'patient_id', orderBy, columns, sealed = {}, convert = {} } = section;
  const encrypted = Object.entries(sealed);
  const bindings = encrypted.map(([, { boundBy }]) => boundBy);
  const names = [...new Set([...columns, ...Object.keys(sealed), ...bindings])].map((name) => `"${name}"`).join(', ');
  const rows = await ctx.db.$queryRawUnsafe<{ row: Record<string, unknown> }[]>(
    `select to_jsonb(r) as row from (select ${names} from ${table}
      where tenant_id = $1::uuid and ${patientColumn} = any($2::uuid[]) order by ${orderBy} desc) r`,
    ctx.tenantId,
    ids,
  );
  yield rows.map(({ row }) => {
    const shown: Record<string, unknown> = Object.fromEntries(columns.map((name) => [name, row[name] ?? null]));
    for (const [column, converter] of Object.entries(convert)) shown[column] = converter(row[column]);
    for (const [column, { boundBy, without = [] }] of encrypted)
      shown[column] = open(ctx, row[column], `${table}/${ctx.tenantId}/${row[boundBy]}/${column}`, without);
    return shown;
  });
}

/** Decrypts a column as JSON represents it: `\x…`. */
function open({ cipher }: Context, value: unknown, boundTo: string, without: readonly string[]): unknown {
  if (typeof value !== 'string') return null;
  const text = cipher.open(Buffer.from(value.slice(2), 'hex'), boundTo);
  if (without.length === 0) return text;
  return Object.fromEntries(Object.entries(JSON.parse(text)).filter(([name]) => !without.includes(name)));
}

async function* eventsOf(ctx: Context, patientId: string): AsyncGenerator<unknown[]> {
  let from = Number.MAX_SAFE_INTEGER;
  for (let isMore = true; isMore; ) {
    const filter = { names: null, objectId: null, patientId };
    const rows = await listEventRows(ctx, filter, { from, backwards: true, limit: BATCH });
    yield rows.filter(isStored).map((row) => {
      const { tenant_id: _, ...event } = presentEvent(row);
      return event;
    });
    isMore = rows.length === BATCH;
    from = Number(rows.at(-1)?.sequence ?? 0);
  }
}

/**
 * The audit entries about the patient, without other patients in lists, and without address and device of other actors.
 */
async function* entriesOf(ctx: Context, patientId: string): AsyncGenerator<unknown[]> {
  const where = auditFilter(ctx.tenantId, { patient_id: patientId });
  for await (const entries of streamEntries(ctx, where)) yield entries.map((entry) => redactEntry(entry, patientId));
}

function redactEntry({ patients: _, address, device, ...entry }: AuditEntryView, patientId: string) {
  const isOwn = entry.actor.id === patientId || entry.on_behalf_of?.id === patientId;
  return { ...entry, ...(isOwn && { address, device }) };
}
