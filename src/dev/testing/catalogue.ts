import type pg from 'pg';

/**
 * Excludes counters and caches, which any request may change; rows that arrive asynchronously (webhooks, event
 * numbers); and the audit log, where rejected requests are logged and which other assertions cover.
 */
const NOT_COUNTED = [
  ...['rate_limit_counts', 'provider_snapshots', 'availability_days', 'inbound_events'],
  ...['event_feeds', 'event_numbers', 'unnumbered_events'],
];

/** Returns a function that counts the rows of each table, to show that a rejected request left none. */
export async function rowCounter(owner: pg.ClientBase): Promise<() => Promise<Record<string, number>>> {
  const tables = (await readTables(owner, ['graphile_worker'])).filter(
    ({ name }) => !NOT_COUNTED.includes(name) && !name.startsWith('audit_'),
  );
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as count from "${name}"`);
  // A named query is planned once: it runs before and after each of thousands of requests.
  const query = { name: 'row_counts', text: counts.join(' union all ') };
  return async () => {
    const { rows } = await owner.query<{ name: string; count: number }>(query);
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
  };
}

export type Table = {
  name: string;
  /** The column with the owning tenant's id. */
  tenantColumn: 'tenant_id' | 'id';
  isForced: boolean;
};
type Column = { name: string; type: string; isNeeded: boolean; allowed: string | null };

/** Lists every table of the service's own schemas from PostgreSQL's catalogue; partitions belong to their parent. */
export async function readTables(client: pg.ClientBase, exceptSchemas: string[]): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as "isForced",
       case when c.relname = 'tenants' then 'id' else 'tenant_id' end as "tenantColumn"
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p', 'f', 'm', 'v') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
       and not c.relispartition and n.nspname <> all($1) and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     order by 1`,
    [exceptSchemas],
  );
  return rows;
}

async function readColumns(client: pg.ClientBase, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select a.attname as name, format_type(a.atttypid, null) as type, a.attnotnull and not a.atthasdef as "isNeeded",
       (select pg_get_constraintdef(k.oid) from pg_constraint k
        where k.conrelid = a.attrelid and k.contype = 'c' and k.conkey = array[a.attnum]) as allowed
     from pg_attribute a
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum`,
    [table],
  );
  return rows;
}

/**
 * Returns a value that the column accepts. Timestamps increase from column to column, so that an end is after its
 * start.
 */
function valueFor({ type, allowed }: Column, position: number): unknown {
  const literal = allowed?.match(/'([^']+)'::text/)?.[1];
  if (literal) return literal;
  if (type === 'uuid') return crypto.randomUUID();
  if (type.startsWith('timestamp') || type === 'date') return new Date(Date.UTC(2026, 0, 1 + position));
  if (type === 'bytea') return Buffer.from('x');
  if (type === 'boolean') return false;
  if (type.startsWith('json')) return '{}';
  if (type.endsWith('[]')) return [];
  if (/int|numeric|double/.test(type)) return position;
  return `text ${crypto.randomUUID()}`;
}

/** Returns an `insert` of one row for the tenant, with a value for every required column. */
export async function insertOf(
  client: pg.ClientBase,
  { name, tenantColumn }: Table,
  tenantId: string,
): Promise<pg.QueryConfig> {
  const columns = (await readColumns(client, name)).filter((one) => one.isNeeded || one.name === tenantColumn);
  const values = columns.map((one, index) => (one.name === tenantColumn ? tenantId : valueFor(one, index)));
  const names = columns.map((one) => `"${one.name}"`).join(', ');
  const slots = columns.map((_, index) => `$${index + 1}`).join(', ');
  return { text: `insert into "${name}" (${names}) values (${slots})`, values };
}
