import type { ListPatientsInput } from '#contract/list-patients.ts';
import { Prisma } from '#server/core/db.ts';

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
export function sortPatients(
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
