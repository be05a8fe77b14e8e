import path from 'node:path';
import { databaseTlsFaults } from '../server/core/database-tls.mjs';
import { UserError } from './user-error.mjs';

const NAME = 'carelane';

/**
 * Opens and migrates the database: the external one of the settings, else an embedded one.
 * @returns {Promise<{ name: string, serviceUrl: string, ownerUrl?: string, stop?: () => Promise<void>, exited?: Promise<unknown> }>}
 */
export async function openDatabase({ step, options, settings, secrets, port }) {
  const { DATABASE_URL, MIGRATION_DATABASE_URL } = settings.service;
  const ownerUrl = options.databaseUrl ?? MIGRATION_DATABASE_URL;
  const outside = ownerUrl ?? DATABASE_URL;
  if (!outside && settings.production) throw new UserError('A production start needs DATABASE_URL.');
  if (!outside) return openOwn({ step, options, secrets, port });
  const named = { [options.databaseUrl ? '--database-url' : 'MIGRATION_DATABASE_URL']: ownerUrl, DATABASE_URL };
  const faults = databaseTlsFaults(settings.service, named);
  if (faults.length > 0) throw new UserError(faults.join('\n'));
  const serviceUrl = DATABASE_URL ?? roleUrl(outside, `${nameIn(outside)}_service`, secrets.servicePassword);
  await explainUnreachable(() => bringUpToDate(step, { serviceUrl, ownerUrl }), outside);
  return { name: 'database', serviceUrl, ownerUrl };
}

async function openOwn({ step, options, secrets, port }) {
  const { startPostgres } = await import('./postgres/start-postgres.mjs');
  const dir = path.join(options.data, 'postgres');
  const password = secrets.ownerPassword;
  const server = await step('start PostgreSQL', () => startPostgres({ dir, password, port }));
  const ownerUrl = server.url(NAME);
  const serviceUrl = roleUrl(ownerUrl, NAME, secrets.servicePassword);
  try {
    await bringUpToDate(step, { serviceUrl, ownerUrl, exact: true });
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { name: 'database', serviceUrl, ownerUrl, stop: server.stop, exited: server.exited };
}

// A role belongs to all databases of a server, so two deployments on one server need different names.
const nameIn = (url) => new URL(url).pathname.slice(1);
const roleUrl = (ownerUrl, username, password) => Object.assign(new URL(ownerUrl), { username, password }).href;

async function bringUpToDate(step, { serviceUrl, ownerUrl, exact }) {
  const { isMigrated, makeLogPartitions, migrateDatabase } = await import('./postgres/migrate-database.mjs');
  const { prepareDatabase } = await import('./postgres/prepare-database.mjs');
  if (await isMigrated(ownerUrl ?? serviceUrl, { exact })) return makeLogPartitions(ownerUrl ?? serviceUrl);
  if (!ownerUrl)
    throw new UserError('The database is not migrated: set MIGRATION_DATABASE_URL to the address of its owner.');
  await step('migrate the database', async () => {
    await prepareDatabase({ serviceUrl, ownerUrl });
    await migrateDatabase({ serviceUrl, ownerUrl });
  });
}

const UNREACHABLE = /ECONNREFUSED|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|28P01|28000|3D000/;

async function explainUnreachable(work, url) {
  try {
    await work();
  } catch (error) {
    if (!UNREACHABLE.test(error.code)) throw error;
    throw new UserError(`The database at ${new URL(url).host} does not let us in: ${error.message || error.code}.`);
  }
}
