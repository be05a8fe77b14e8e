import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrateDatabase } from '../../launcher/postgres/migrate-database.mjs';
import { prepareDatabase } from '../../launcher/postgres/prepare-database.mjs';
import { startPostgres } from '../../launcher/postgres/start-postgres.mjs';
import { withClient } from '../../launcher/postgres/with-client.mjs';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 2 ** 30;

/** Creates a folder for a test server's data, in memory if there is space: each suite copies a whole database there. */
export const makeDataFolder = async (): Promise<string> =>
  mkdtemp(path.join((await hasRoom()) ? MEMORY : tmpdir(), 'carelane-test-'));

async function hasRoom(): Promise<boolean> {
  const space = await statfs(MEMORY).catch(() => undefined);
  return space !== undefined && space.bavail * space.bsize > ROOM_BYTES;
}

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
