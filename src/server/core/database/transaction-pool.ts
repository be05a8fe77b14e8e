import pg from 'pg';
import { type Connection, type Scope, TenantPool } from './tenant-pool.ts';

/**
 * Until the end of the transaction, after which the connection is another's. `set local` takes no snapshot, unlike a call of
 * `set_config`, so the transaction may still choose its isolation level.
 */
const telling = ({ tenantId, routeKey }: Scope): string =>
  `set local app.tenant_id = ${pg.escapeLiteral(tenantId)}; set local app.route_key = ${pg.escapeLiteral(routeKey)}`;

/**
 * The connections of a pooler in transaction mode, which gives each transaction another one: a setting that sticks would
 * be the next tenant's. So each transaction is told anew, and each query on its own is made one.
 */
export class TransactionPool extends TenantPool {
  /** What is handed out begins a transaction, for that is all that Prisma takes a connection for. */
  protected override async handOut(client: Connection, scope: Scope): Promise<pg.PoolClient> {
    const { query } = client;
    const beginning = async (...first: Parameters<typeof query>) => {
      client.query = query;
      const begun: unknown = await query.apply(client, first);
      await client.query(telling(scope));
      return begun;
    };
    client.query = beginning as typeof query;
    return client;
  }

  override async query(...given: unknown[]): Promise<never> {
    const client = await this.connect();
    try {
      await client.query('begin');
      const result = await (client.query as (...given: unknown[]) => Promise<never>)(...given);
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
