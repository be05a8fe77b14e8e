import pg from 'pg';
import { ConfigError } from '../config.ts';

const ROUNDS = 3;

/**
 * Rejects a pooler in transaction mode, where one client's session setting appears on another client's connection and
 * tenants would be mixed. Two connections set different values in turn; each must read back its own.
 * @throws {ConfigError}
 */
export async function assertSessionSettings(connectionString: string): Promise<void> {
  const clients = [0, 1].map(() => new pg.Client({ connectionString, application_name: 'carelane' }));
  try {
    for (const client of clients) await client.connect();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, client] of clients.entries())
        await client.query("select set_config('app.probe', $1, false)", [`${round}/${index}`]);
      for (const [index, client] of clients.entries()) {
        const { rows } = await client.query<{ told: string }>("select current_setting('app.probe', true) as told");
        if (rows[0]?.told !== `${round}/${index}`)
          throw new ConfigError(
            'DATABASE_URL leads to a pooler that shares connections between transactions: set DATABASE_POOLER=transaction, or connect directly.',
          );
      }
    }
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}
