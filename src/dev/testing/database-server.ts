import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { prepareDatabase } from '../../launcher/postgres/prepare-database.mjs';
import { startPostgres } from '../../launcher/postgres/start-postgres.mjs';
import { withClient } from '../../launcher/postgres/with-client.mjs';
import { makeDataFolder } from './data-folder.ts';

export const TEMPLATE = 'carelane_template';
const MIGRATIONS = path.resolve(import.meta.dirname, '../../../prisma/migrations');

declare module 'vitest' {
  interface ProvidedContext {
    /** Addresses of the template database of this run. */
    template: { ownerUrl: string; serviceUrl: string };
  }
}

/** Vitest's global setup: one PostgreSQL for the run, with one migrated database that each suite gets a copy of. */
export default async function startDatabaseServer(project: TestProject): Promise<() => Promise<void>> {
  const dir = await makeDataFolder();
  const password = randomBytes(12).toString('hex');
  const server = await startPostgres({ dir, password, durable: false });
  const ownerUrl = server.url(TEMPLATE);
  const serviceUrl = Object.assign(new URL(ownerUrl), { username: 'carelane', password }).href;
  await prepareDatabase({ ownerUrl, serviceUrl });
  await applyMigrations(ownerUrl);
  project.provide('template', { ownerUrl, serviceUrl });
  return async () => {
    await server.stop();
    await rm(dir, { recursive: true });
  };
}

/** The same files that Prisma would run, without its seconds of start. */
export async function applyMigrations(ownerUrl: string): Promise<void> {
  const names = (await readdir(MIGRATIONS, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  await withClient(ownerUrl, async (client) => {
    for (const name of names.map((entry) => entry.name).sort())
      await client.query(await readFile(path.join(MIGRATIONS, name, 'migration.sql'), 'utf8'));
  });
}
