import type pg from 'pg';
import type { Context } from '#server/core/context.ts';
import { openDatabase, Prisma } from '#server/core/db.ts';
import type { TestDatabase } from './database.ts';

/** A node of `explain (analyze, buffers, format json)`. Rows are averages over the loops. */
export type PlanNode = {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
};

/** A node and all nodes below it. */
export const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** The nodes that read a table or an index and were executed. */
export const scansOf = (plan: PlanNode): PlanNode[] =>
  nodesOf(plan).filter(
    (node) => /^(Seq|Index|Bitmap|Tid|Sample).*Scan/.test(node['Node Type']) && node['Actual Loops'] > 0,
  );

/** The rows that the scans of a plan read, including discarded ones. It does not depend on other load. */
export const rowsReadBy = (plan: PlanNode): number =>
  scansOf(plan).reduce((sum, node) => {
    const discarded = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
    return sum + Math.round((node['Actual Rows'] + discarded) * node['Actual Loops']);
  }, 0);

/** The scans of a plan in one line, for the message of an assertion. */
export const describeScans = (plan: PlanNode): string =>
  scansOf(plan)
    .map(
      (node) =>
        `${node['Node Type']} ${node['Index Name'] ?? node['Relation Name']}: ${rowsReadBy({ ...node, Plans: [] })} rows`,
    )
    .join(', ');

/**
 * The pages that a plan touched, including the catalog's: invalidations by other sessions add to it, so it is only a
 * measurement under `PROVE`, not an assertion.
 */
export const pagesTouchedBy = (plan: PlanNode): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

/** Executes a statement and returns its plan. */
export async function explain(db: Pick<Context['db'], '$queryRawUnsafe'>, sql: Prisma.Sql): Promise<PlanNode> {
  const [row] = await db.$queryRawUnsafe<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>(
    `explain (analyze, buffers, format json) ${sql.text}`,
    ...sql.values,
  );
  return row!['QUERY PLAN'][0].Plan;
}

/**
 * The same context with `$queryRaw` statements explained to `onPlan`.
 * @param returnsRows false: every statement returns no rows
 */
export function explaining(ctx: Context, onPlan: (plan: PlanNode) => void, returnsRows = true): Context {
  const $queryRaw = async (query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) => {
    const sql = 'raw' in query ? Prisma.sql(query, ...values) : query;
    onPlan(await explain(ctx.db, sql));
    return returnsRows ? ctx.db.$queryRaw(sql) : [];
  };
  const db = new Proxy(ctx.db, {
    get: (target, name) => (name === '$queryRaw' ? $queryRaw : Reflect.get(target, name)),
  });
  return { ...ctx, db };
}

/**
 * Counts the rows that a call reads from a table and its partitions, including discarded ones, also by statements of Prisma
 * and within functions. The call gets a context with one connection, on which statements have run often enough for the
 * plan that PostgreSQL keeps.
 */
export async function countRowsRead(
  owner: pg.Client,
  { url }: Pick<TestDatabase, 'url'>,
  ctx: Context,
  table: string,
  call: (ctx: Context) => Promise<unknown>,
): Promise<number> {
  const database = openDatabase({ url, poolSize: 1 });
  const db = database.forTenant(ctx.tenantId);
  // A connection reports its counts at most once a second, unless asked.
  const flush = Prisma.sql`select pg_stat_force_next_flush()::text`;
  const count = async () => {
    await db.$query(flush);
    const { rows } = await owner.query<{ count: number }>(
      `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as count from pg_stat_user_tables
       where relid = $1::regclass or relid in (select relid from pg_partition_tree($1::regclass))`,
      [table],
    );
    return rows[0]!.count;
  };
  try {
    for (let n = 0; n < 6; n += 1) await call({ ...ctx, db });
    const before = await count();
    await call({ ...ctx, db });
    return (await count()) - before;
  } finally {
    await database.close();
  }
}
