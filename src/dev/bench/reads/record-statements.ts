import pg from 'pg';

export type Statement = { text: string; values: unknown[] };
/** Sets a connection's tenant: sent only when the tenant changes, so not in a run with one tenant. */
const SETS_TENANT = /set_config\('app\.tenant_id'/;
const WARM_UP = 20;

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

/** Records the statements that `work` sends to PostgreSQL from this process, after a warm-up. */
export async function recordStatements(work: () => Promise<void>): Promise<Statement[]> {
  for (let n = 0; n < WARM_UP; n += 1) await work();
  const recorded: Statement[] = [];
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  prototype.query = function recording(...args) {
    const [textOrStatement, values] = args as [string | Statement, unknown[] | undefined];
    const statement = typeof textOrStatement === 'string' ? { text: textOrStatement, values } : textOrStatement;
    if (!SETS_TENANT.test(statement.text)) recorded.push({ text: statement.text, values: statement.values ?? [] });
    return query.apply(this, args);
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return recorded;
}
