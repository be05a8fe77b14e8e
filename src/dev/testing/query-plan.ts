import type { Context } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';

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
