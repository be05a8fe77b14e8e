import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '#server/core/config.ts';
import type { Services } from '#server/core/context.ts';
import { createServices } from '#server/services.ts';
import { migrateDatabase } from '../../launcher/postgres/migrate-database.mjs';
import { prepareDatabase } from '../../launcher/postgres/prepare-database.mjs';
import { startPostgres } from '../../launcher/postgres/start-postgres.mjs';
import { testSettings } from '../testing/services.ts';
import { startHttpProcess } from '../testing/start-http-process.ts';

export type BenchSetup = {
  /** Services of the measuring process, for preparation only. */
  services: Services;
  /** Settings of the measured process. */
  settings: Record<string, string>;
  /** URL of the measured process. */
  url: string;
  databaseUrl: string;
  /** Connection URL of the owner, which bypasses row-level security. */
  ownerUrl: string;
  stop(): Promise<void>;
};

/**
 * Starts a PostgreSQL with normal durability in a new folder, and the service in a child process with the production
 * HTTP server. Callers use many IP addresses, so that no rate limit is measured.
 */
export async function startBenchSetup(): Promise<BenchSetup> {
  const dir = await mkdtemp(path.join(tmpdir(), 'carelane-bench-'));
  const password = randomBytes(12).toString('hex');
  const postgres = await startPostgres({ dir, password });
  const ownerUrl = postgres.url('carelane');
  const databaseUrl = Object.assign(new URL(ownerUrl), { username: 'carelane', password }).href;
  await prepareDatabase({ ownerUrl, serviceUrl: databaseUrl });
  await migrateDatabase({ ownerUrl, serviceUrl: databaseUrl });
  const settings = testSettings(
    { url: databaseUrl },
    { TRUST_PROXY: '1', DATABASE_CONNECTIONS: '22', LOG_LEVEL: 'error' },
  );
  const services = createServices(readConfig(settings));
  const server = await startHttpProcess({ ...settings, NODE_ENV: 'production' });
  return {
    services,
    settings,
    url: server.url,
    databaseUrl,
    ownerUrl,
    async stop() {
      await server.stop();
      await services.close();
      await postgres.stop();
      await rm(dir, { recursive: true });
    },
  };
}
