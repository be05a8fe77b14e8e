import type { Page } from '#contract/conventions.ts';
import type { ListPatientsInput } from '#contract/list-patients.ts';
import { PatientStatus, type PatientView } from '#contract/patients.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';
import { readPage } from '#server/core/paging.ts';
import { filterPatients } from './filter-patients.ts';
import { countPatients, selectPatients } from './list-patients-query.ts';
import { presentPatient } from './present-patient.ts';
import { tenantToday } from './tenant-today.ts';

const { sql, join } = Prisma;
type SortKey = { column: Prisma.Sql; cursor: Prisma.Sql; descending: boolean };

const COLUMNS = { created_at: sql`p.created_at`, updated_at: sql`p.updated_at`, name: sql`p.sort_name` };
const ofCursor = (column: Prisma.Sql) => (tenantId: string, id: string) =>
  sql`(select ${column} from patients c where c.tenant_id = ${tenantId}::uuid and c.id = ${id}::uuid)`;
const cursorKeys = {
  created_at: ofCursor(sql`c.created_at`),
  updated_at: ofCursor(sql`c.updated_at`),
  name: ofCursor(sql`c.sort_name`),
};

/**
 * Returns the order of a list and, with a cursor, the condition for the rows after it: a row comparison that uses an
 * index at any depth. The id breaks ties; `backwards` reverses the direction.
 */
function sortPatients(
  sortBy: ListPatientsInput['sort_by'],
  backwards: boolean,
  cursor: { tenantId: string; id: string } | null,
): { orderBy: Prisma.Sql; after: Prisma.Sql | null } {
  const asked = sortBy ?? [{ field: 'created_at' as const, descending: true }];
  const id = cursor?.id ?? '';
  const keys: SortKey[] = asked.map(({ field, descending }) => ({
    column: COLUMNS[field],
    cursor: cursorKeys[field](cursor?.tenantId ?? '', id),
    descending: descending !== backwards,
  }));
  keys.push({ column: sql`p.id`, cursor: sql`${id}::uuid`, descending: keys.at(-1)!.descending });
  const orderBy = join(keys.map(({ column, descending }) => (descending ? sql`${column} desc` : sql`${column}`)));
  return { orderBy, after: cursor && isAfter(keys) };
}

function isAfter(keys: SortKey[]): Prisma.Sql {
  const [first, ...rest] = keys as [SortKey, ...SortKey[]];
  const beyond = first.descending ? sql`<` : sql`>`;
  if (rest.every((key) => key.descending === first.descending))
    return sql`(${join(keys.map((key) => key.column))}) ${beyond} (${join(keys.map((key) => key.cursor))})`;
  return sql`(${first.column} ${beyond} ${first.cursor} or (${first.column} = ${first.cursor} and ${isAfter(rest)}))`;
}

/**
 * Lists the tenant's patients, newest first unless `sort_by` is set; archived ones only when `by_status` includes them.
 */
export async function listPatients(ctx: Context, input: ListPatientsInput): Promise<Page<PatientView>> {
  requireScope(ctx.actor, 'patients:read', { patients: false });
  checkStatuses(input);
  const { tenantId } = ctx;
  const today = await tenantToday(ctx);
  const where = filterPatients(tenantId, input, today);
  return readPage(
    input,
    {
      what: 'patient',
      keyOf: (id) => (isId(id) ? id : null),
      // An unknown cursor compares as null and matches nothing; existence is checked only for an empty page.
      isThere: async (id) =>
        (await ctx.db.patient.findFirst({ where: { tenantId, id }, select: { id: true } })) !== null,
      read({ backwards, limit, offset, beyond }) {
        const { orderBy, after } = sortPatients(
          input.sort_by,
          backwards,
          beyond === null ? null : { tenantId, id: beyond },
        );
        return selectPatients(ctx.db, {
          where: after ? Prisma.sql`${where} and ${after}` : where,
          orderBy,
          limit,
          offset,
        });
      },
      count: (most) => countPatients(ctx.db, where, most),
    },
    (patient) => presentPatient(patient, today),
  );
}

function checkStatuses(input: ListPatientsInput): void {
  const wrong = input.by_status?.flat().find((status) => !PatientStatus.safeParse(status).success);
  if (wrong !== undefined)
    throw apiError('invalid_parameter', `"by_status" takes ${PatientStatus.options.join(', ')}.`, {
      people: 'Choose one of the given states.',
      source: { parameter: 'by_status' },
    });
}
