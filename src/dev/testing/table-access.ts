import type pg from 'pg';

/** What a call read from tables in `public`, including reads inside functions, whose plans `explain` does not show. */
export type TableAccess = {
  /** Tables that were read sequentially. */
  sequential: string[];
  /** Indexes that were searched, with the number of searches. */
  searches: Record<string, number>;
  /** Rows and index entries that were read. */
  rows: number;
};

type Counter = { name: string; is_index: boolean; scans: number; read: number; fetched: number };

/**
 * Measures what `call` reads on this connection, with its transaction's counters. Neither the catalog nor other
 * sessions count, so the numbers do not depend on the load.
 */
export async function accessBy(client: pg.Client, call: () => Promise<unknown>): Promise<TableAccess> {
  const counters = async (): Promise<Counter[]> => {
    const { rows } = await client.query(
      `select relname as name, relkind = 'i' as is_index, pg_stat_get_xact_numscans(oid)::int as scans,
         pg_stat_get_xact_tuples_returned(oid)::int as read, pg_stat_get_xact_tuples_fetched(oid)::int as fetched
       from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i') order by oid`,
    );
    return rows;
  };
  await client.query('begin');
  const before = new Map((await counters()).map((one) => [one.name, one]));
  await call();
  const after = await counters();
  await client.query('commit');
  const access: TableAccess = { sequential: [], searches: {}, rows: 0 };
  for (const { name, is_index, scans, read, fetched } of after) {
    const earlier = before.get(name);
    const searched = scans - (earlier?.scans ?? 0);
    access.rows += read - (earlier?.read ?? 0) + (is_index ? 0 : fetched - (earlier?.fetched ?? 0));
    if (searched > 0 && is_index) access.searches[name] = searched;
    else if (searched > 0) access.sequential.push(name);
  }
  return access;
}
