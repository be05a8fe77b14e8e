import pg from 'pg';
import { type Connection, type Scope, TenantPool } from './tenant-pool.ts';

/**
 * Sets the scope until the end of the transaction, after which the connection serves another client. Unlike
 * `set_config`, `set local` takes no snapshot, so the transaction may still choose its isolation level.
 */
const setScopeSql = ({ tenantId, routeKey }: Scope): string =>
  `set local app.tenant_id = ${pg.escapeLiteral(tenantId)}; set local app.route_key = ${pg.escapeLiteral(routeKey)}`;

/**
 * Connections through a pooler in transaction mode, which gives each transaction another connection: a session setting
 * would reach the next tenant. So each transaction sets its scope, and each single query runs in a transaction.
 */
export class TransactionPool extends TenantPool {
  /** The first query on the connection starts a transaction, because Prisma takes connections only for transactions. */
  protected override async handOut(client: Connection, scope: Scope): Promise<pg.PoolClient> {
    const { query } = client;
    const beginning = async (...first: Parameters<typeof query>) => {
      client.query = query;
      const result: unknown = await query.apply(client, first);
      await client.query(setScopeSql(scope));
      return result;
    };
    client.query = beginning as typeof query;
    return client;
  }

  override async query(...args: unknown[]): Promise<never> {
    const client = await this.connect();
    try {
      await client.query('begin');
      const result = await (client.query as (...args: unknown[]) => Promise<never>)(...args);
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      await client.query('rollback').then(
        () => client.release(),
        (failure: Error) => client.release(failure),
      );
      throw error;
    }
  }
}
