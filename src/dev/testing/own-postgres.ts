import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { migrateDatabase } from '../../launcher/postgres/migrate-database.mjs';
import { prepareDatabase } from '../../launcher/postgres/prepare-database.mjs';
import { startPostgres } from '../../launcher/postgres/start-postgres.mjs';
import { withClient } from '../../launcher/postgres/with-client.mjs';
import { makeDataFolder } from './data-folder.ts';

/**
 * Starts a PostgreSQL server that the test can stop, kill and restart; a durable one keeps committed data after a kill.
 */
export async function startOwnPostgres({ migrated = true, durable = false } = {}) {
  const dir = await makeDataFolder();
  const password = randomBytes(12).toString('hex');
  let postgres = await startPostgres({ dir, password, durable });
  const { port } = postgres;
  const ownerUrl = postgres.url('carelane');
  const url = Object.assign(new URL(ownerUrl), { username: 'carelane', password }).href;
  await prepareDatabase({ ownerUrl, serviceUrl: url });
  if (migrated) await migrateDatabase({ ownerUrl, serviceUrl: url });
  return {
    url,
    ownerUrl,
    query: (text: string) => withClient(ownerUrl, (client) => client.query(text)),
    down: () => postgres.stop(),
    /** Simulates a power failure. */
    async kill() {
      process.kill(Number.parseInt(await readFile(path.join(dir, 'data', 'postmaster.pid'), 'utf8'), 10), 'SIGKILL');
      await postgres.exited;
    },
    async up() {
      postgres = await startPostgres({ dir, password, port, durable });
    },
    async stop() {
      await postgres.stop();
      await rm(dir, { recursive: true });
    },
  };
}

export type OwnPostgres = Awaited<ReturnType<typeof startOwnPostgres>>;
