import { Paging } from '#contract/conventions.ts';
import type { Filter } from '#contract/filters.ts';
import type { ListPatientsInput, PatientsPage } from '#contract/list-patients.ts';
import { PatientStatus, type PatientView } from '#contract/patients.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';
import { type JsonRow, pageOfJson } from '#server/core/json-page.ts';
import { readPage } from '#server/core/paging.ts';
import { parsePhoneNumber } from './nested-rows.ts';
import { countPatients, latestBirthDate, tenantToday } from './patient.ts';
import { selectPatientViews } from './patient-view.ts';
import { containing, searchPatients } from './search-patients.ts';

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
  const sort = sortBy ?? [{ field: 'created_at' as const, descending: true }];
  const id = cursor?.id ?? '';
  const keys: SortKey[] = sort.map(({ field, descending }) => ({
    column: COLUMNS[field],
    cursor: cursorKeys[field](cursor?.tenantId ?? '', id),
    descending: descending !== backwards,
  }));
  keys.push({ column: sql`p.id`, cursor: sql`${id}::uuid`, descending: keys.at(-1)?.descending ?? !backwards });
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
export async function listPatients(ctx: Context, input: ListPatientsInput): Promise<PatientsPage> {
  requireScope(ctx.actor, 'patients:read', { patients: false });
  checkStatuses(input);
  const { tenantId } = ctx;
  const today = await tenantToday(ctx);
  const { search } = input;
  const found = search === undefined ? null : await searchPatients(ctx, { search, statuses: statusesOf(input), today });
  const where = all([filterPatients(tenantId, input, today), ...(found?.conditions ?? [])]);
  const page = await readPage(
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
        return selectPatientViews(ctx.db, today, {
          where: after ? Prisma.sql`${where} and ${after}` : where,
          orderBy,
          limit,
          offset,
        });
      },
      count: (most) => (found?.count && !isFiltered(input) ? found.count(most) : countPatients(ctx.db, where, most)),
    },
    (row: JsonRow) => row,
  );
  const isSimilar = found?.isSimilar && page.items.length > 0;
  return Object.assign(pageOfJson<PatientView>(page), isSimilar && { is_similar: true });
}

function checkStatuses(input: ListPatientsInput): void {
  const invalid = input.by_status?.flat().find((status) => !PatientStatus.safeParse(status).success);
  if (invalid !== undefined)
    throw apiError('invalid_parameter', `"by_status" takes ${PatientStatus.options.join(', ')}.`, {
      people: 'Choose one of the given states.',
      source: { parameter: 'by_status' },
    });
}

/** Each occurrence of the parameter allows some statuses, and all of them apply. */
const statusesOf = ({ by_status = [UNARCHIVED] }: ListPatientsInput): string[] =>
  PatientStatus.options.filter((status) => by_status.every((allowed) => allowed.includes(status)));
const UNARCHIVED: string[] = PatientStatus.options.filter((status) => status !== 'archived');

const UNFILTERED = new Set(['search', 'by_status', 'sort_by', 'filters_operator', ...Object.keys(Paging)]);
/** Whether other conditions than the search and the status apply. */
const isFiltered = (input: ListPatientsInput): boolean =>
  Object.entries(input).some(([name, value]) => value !== undefined && !UNFILTERED.has(name));

const NEVER = sql`false`;
const all = (conditions: Prisma.Sql[]) => join(conditions, ' and ');

const identity = (value: string) => value;
/** Text columns, and the normalization of a value for them. */
const TEXTS = {
  first_name: { column: sql`p.first_name`, spell: identity },
  last_name: { column: sql`p.last_name`, spell: identity },
  email: { column: sql`p.email`, spell: (value: string) => value.toLowerCase() },
  primary_phone_number: { column: sql`p.phone_number`, spell: (value: string) => parsePhoneNumber(value) ?? value },
  external_id: { column: sql`p.external_id`, spell: identity },
};
const STAMPS = { created_at: sql`p.created_at`, updated_at: sql`p.updated_at` };
const PARAMETER_FIELDS = {
  by_first_name: 'first_name',
  by_last_name: 'last_name',
  by_email: 'email',
  by_id: 'id',
  by_tags: 'tags',
  by_primary_phone_number: 'primary_phone_number',
  by_external_id: 'external_id',
} as const;

/** Returns the conditions for a list of one tenant's patients (`p`); `today` is the tenant's date, for ages. */
function filterPatients(tenantId: string, input: ListPatientsInput, today: string): Prisma.Sql {
  const conditions = [sql`p.tenant_id = ${tenantId}::uuid`];
  if (!input.by_status) conditions.push(sql`p.status <> 'archived'`);
  for (const statuses of input.by_status ?? []) conditions.push(sql`p.status = any(${statuses}::text[])`);
  for (const [parameter, field] of Object.entries(PARAMETER_FIELDS))
    for (const values of input[parameter as keyof typeof PARAMETER_FIELDS] ?? [])
      conditions.push(conditionOf({ field, operator: 'in', value: values }, today));
  for (const ages of input.by_age ?? [])
    conditions.push(conditionOf({ field: 'age', operator: 'in', value: ages }, today));
  const filters = (input.filters ?? []).map((filter) => conditionOf(filter, today));
  if (filters.length > 0) conditions.push(sql`(${join(filters, input.filters_operator === 'or' ? ' or ' : ' and ')})`);
  return all(conditions);
}

const OPPOSITES = { not_eq: 'eq', not_in: 'in', does_not_match: 'matches' } as const;

/** A negated operator is the exact opposite: it also matches an empty field. */
function conditionOf(filter: Filter, today: string): Prisma.Sql {
  const opposite = OPPOSITES[filter.operator as keyof typeof OPPOSITES];
  if (opposite) return sql`(${conditionOf({ ...filter, operator: opposite }, today)}) is not true`;
  const values = Array.isArray(filter.value) ? filter.value : [filter.value];
  if (filter.field === 'age') return ageCondition(filter.operator, values.map(Number), today);
  if (filter.field in STAMPS)
    return timestampCondition(STAMPS[filter.field as keyof typeof STAMPS], filter.operator, values);
  const texts = values.map(String);
  if (filter.operator === 'matches') return containsText(filter.field, containing(texts[0] ?? ''));
  if (filter.field === 'id') return sql`p.id = any(${texts.filter(isId)}::uuid[])`;
  if (filter.field === 'tags') return sql`p.tag_list && ${texts}::text[]`;
  const { column, spell } = TEXTS[filter.field as keyof typeof TEXTS];
  return sql`${column} = any(${texts.map(spell)}::text[])`;
}

function containsText(field: string, pattern: string): Prisma.Sql {
  if (field === 'id') return sql`p.id::text ilike ${pattern}`;
  if (field === 'tags') return sql`exists (select from unnest(p.tag_list) tag where tag ilike ${pattern})`;
  return sql`${TEXTS[field as keyof typeof TEXTS].column} ilike ${pattern}`;
}

const COMPARE: Record<string, Prisma.Sql> = { gt: sql`>`, gteq: sql`>=`, lt: sql`<`, lteq: sql`<=` };
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/** Clamps timestamps to PostgreSQL's text range; the bounds lie beyond every row. */
function timestampCondition(column: Prisma.Sql, operator: Filter['operator'], values: (string | number)[]): Prisma.Sql {
  const stamps = values.map((v) => new Date(Math.min(LATEST, Math.max(EARLIEST, Date.parse(String(v))))).toISOString());
  const compare = COMPARE[operator];
  if (compare) return sql`${column} ${compare} ${stamps[0]}::timestamptz`;
  return sql`${column} = any(${stamps}::text[]::timestamptz[])`;
}

/** Converts ages to ranges of birth dates, so that an index can be used. */
function ageCondition(operator: Filter['operator'], ages: number[], today: string): Prisma.Sql {
  const atLeast = (age: number) => {
    const day = latestBirthDate(today, age);
    return day === null ? NEVER : sql`p.birth_date <= ${day}::date`;
  };
  const below = (age: number) => sql`(p.birth_date is not null and not ${atLeast(age)})`;
  const [age = 0] = ages;
  if (operator === 'gteq') return atLeast(age);
  if (operator === 'gt') return atLeast(age + 1);
  if (operator === 'lt') return below(age);
  if (operator === 'lteq') return below(age + 1);
  return sql`(${join(
    ages.map((years) => sql`(${atLeast(years)} and ${below(years + 1)})`),
    ' or ',
  )})`;
}
