import type { Filter } from '#contract/filters.ts';
import type { ListPatientsInput } from '#contract/list-patients.ts';
import { Prisma } from '#server/core/db.ts';
import { isId } from '#server/core/ids.ts';
import { latestBirthDate } from './age.ts';
import { parsePhoneNumber } from './parse-phone-number.ts';
import { searchWords } from './search-text.ts';

const { sql, join } = Prisma;
const NEVER = sql`false`;
const all = (conditions: Prisma.Sql[]) => join(conditions, ' and ');

const asIs = (value: string) => value;
/** Text columns, and the normalization of a value for them. */
const TEXTS = {
  first_name: { column: sql`p.first_name`, spell: asIs },
  last_name: { column: sql`p.last_name`, spell: asIs },
  email: { column: sql`p.email`, spell: (value: string) => value.toLowerCase() },
  primary_phone_number: { column: sql`p.phone_number`, spell: (value: string) => parsePhoneNumber(value) ?? value },
  external_id: { column: sql`p.external_id`, spell: asIs },
};
const STAMPS = { created_at: sql`p.created_at`, updated_at: sql`p.updated_at` };
const BY = {
  by_first_name: 'first_name',
  by_last_name: 'last_name',
  by_email: 'email',
  by_id: 'id',
  by_tags: 'tags',
  by_primary_phone_number: 'primary_phone_number',
  by_external_id: 'external_id',
} as const;

/** Escapes `%`, `_` and `\` for LIKE. */
const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** Returns the conditions for a list of one tenant's patients (`p`); `today` is the tenant's date, for ages. */
export function filterPatients(tenantId: string, input: ListPatientsInput, today: string): Prisma.Sql {
  const conditions = [sql`p.tenant_id = ${tenantId}::uuid`];
  if (!input.by_status) conditions.push(sql`p.status <> 'archived'`);
  for (const statuses of input.by_status ?? []) conditions.push(sql`p.status = any(${statuses}::text[])`);
  for (const [parameter, field] of Object.entries(BY))
    for (const values of input[parameter as keyof typeof BY] ?? [])
      conditions.push(matching({ field, operator: 'in', value: values }, today));
  for (const ages of input.by_age ?? [])
    conditions.push(matching({ field: 'age', operator: 'in', value: ages }, today));
  for (const spellings of searchWords(input.search ?? '')) {
    const likes = spellings.map((spelling) => sql`p.search_text like ${containing(spelling)}`);
    conditions.push(sql`(${join(likes, ' or ')})`);
  }
  const filters = (input.filters ?? []).map((filter) => matching(filter, today));
  if (filters.length > 0) conditions.push(sql`(${join(filters, input.filters_operator === 'or' ? ' or ' : ' and ')})`);
  return all(conditions);
}

const OPPOSITES = { not_eq: 'eq', not_in: 'in', does_not_match: 'matches' } as const;

/** A negated operator is the exact opposite: it also matches an empty field. */
function matching(filter: Filter, today: string): Prisma.Sql {
  const opposite = OPPOSITES[filter.operator as keyof typeof OPPOSITES];
  if (opposite) return sql`(${matching({ ...filter, operator: opposite }, today)}) is not true`;
  const values = Array.isArray(filter.value) ? filter.value : [filter.value];
  if (filter.field === 'age') return aged(filter.operator, values.map(Number), today);
  if (filter.field in STAMPS) return stamped(STAMPS[filter.field as keyof typeof STAMPS], filter.operator, values);
  const texts = values.map(String);
  if (filter.operator === 'matches') return containsText(filter.field, containing(texts[0]!));
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
function stamped(column: Prisma.Sql, operator: Filter['operator'], values: (string | number)[]): Prisma.Sql {
  const stamps = values.map((v) => new Date(Math.min(LATEST, Math.max(EARLIEST, Date.parse(String(v))))).toISOString());
  const compare = COMPARE[operator];
  if (compare) return sql`${column} ${compare} ${stamps[0]}::timestamptz`;
  return sql`${column} = any(${stamps}::text[]::timestamptz[])`;
}

/** Converts ages to ranges of birth dates, so that an index can be used. */
function aged(operator: Filter['operator'], ages: number[], today: string): Prisma.Sql {
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
    ages.map((one) => sql`(${atLeast(one)} and ${below(one + 1)})`),
    ' or ',
  )})`;
}
