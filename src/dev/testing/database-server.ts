import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { migrateDatabase } from '../../launcher/postgres/migrate-database.mjs';
import { prepareDatabase } from '../../launcher/postgres/prepare-database.mjs';
import { startPostgres } from '../../launcher/postgres/start-postgres.mjs';
import { makeDataFolder } from './own-postgres.ts';

export const TEMPLATE = 'carelane_template';

/** For the service's role, whose password is set after the start: suites open thousands of connections. */
const CHEAP_SCRAM = { scram_iterations: '1' };

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection URLs of this run's template database. */
    template: { ownerUrl: string; serviceUrl: string };
  }
}

/** Vitest's global setup: starts one PostgreSQL server with one migrated database, which each suite copies. */
export default async function startDatabaseServer(project: TestProject): Promise<() => Promise<void>> {
  const dir = await makeDataFolder();
  const password = randomBytes(12).toString('hex');
  const server = await startPostgres({ dir, password, durable: false, settings: CHEAP_SCRAM });
  const ownerUrl = server.url(TEMPLATE);
  const serviceUrl = Object.assign(new URL(ownerUrl), { username: 'carelane', password }).href;
  await prepareDatabase({ ownerUrl, serviceUrl });
  await migrateDatabase({ ownerUrl, serviceUrl });
  project.provide('template', { ownerUrl, serviceUrl });
  return async () => {
    await server.stop();
    await rm(dir, { recursive: true });
  };
}
