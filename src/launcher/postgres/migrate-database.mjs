import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { root } from '../root.mjs';
import { runTool } from '../run-command.mjs';
import { Sentence } from '../sentence.mjs';
import { withClient } from './with-client.mjs';

const folder = path.join(root, 'prisma/migrations');

/** @returns {Map<string, string>} each migration's name and the checksum that Prisma keeps of it */
function migrations() {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return new Map(names.map(({ name }) => [name, checksum(path.join(folder, name, 'migration.sql'))]));
}

const checksum = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** One query in place of Prisma's command line, which takes seconds to find that nothing is to be done. */
export async function isMigrated(url) {
  const applied = await withClient(url, async (client) => {
    const { rows } = await client.query(
      'SELECT migration_name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
    );
    return new Map(rows.map((row) => [row.migration_name, row.checksum]));
  }).catch((error) => {
    const neverMigrated = ['42P01', '3D000'].includes(error.code);
    if (neverMigrated) return new Map();
    throw error;
  });
  return [...migrations()].every(([name, sum]) => applied.get(name) === sum);
}

/**
 * Brings a prepared database's tables up to date.
 * @param {{ ownerUrl: string, serviceUrl: string }} addresses as for `prepareDatabase`
 * @returns {Promise<boolean>} whether there was something to do
 */
export async function migrateDatabase({ ownerUrl, serviceUrl }) {
  if (await isMigrated(ownerUrl)) {
    await makeLogPartitions(ownerUrl);
    return false;
  }
  await runTool('prisma/build/index.js', ['migrate', 'deploy'], { MIGRATION_DATABASE_URL: ownerUrl });
  if (!(await isMigrated(ownerUrl)))
    throw new Sentence('A migration was changed after it was applied to this database: begin anew with --reset.');
  const role = pg.escapeIdentifier(decodeURIComponent(new URL(serviceUrl).username));
  // The history came by default privileges too; the service only reads it.
  await withClient(ownerUrl, (client) =>
    client.query(`REVOKE INSERT, UPDATE, DELETE ON _prisma_migrations FROM ${role}`),
  );
  await makeLogPartitions(ownerUrl);
  return true;
}

const LOCKED = '55P03';

/** The log's tables of the coming months, for who was not up when the daily job was due; the service's address does as well. */
export async function makeLogPartitions(url) {
  await withClient(url, (client) => client.query('SELECT make_log_partitions()')).catch((error) => {
    // Until the job makes them, rows wait elsewhere.
    if (error.code !== LOCKED) throw error;
  });
}
