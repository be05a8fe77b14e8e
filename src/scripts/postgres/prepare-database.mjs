import { Logger, runMigrations } from 'graphile-worker';
import pg from 'pg';
import { withClient } from './with-client.mjs';

const QUEUE_SCHEMA = 'graphile_worker';
const SILENT = new Logger(() => () => {});

/**
 * Makes what migrations take for granted and must not contain: the service's role with its password, the database, the
 * role's rights on tables to come, and the job queue, which that role owns. May run any number of times.
 * @param {{ ownerUrl: string, serviceUrl: string }} addresses of one database, for its owner and for the service
 */
export async function prepareDatabase({ ownerUrl, serviceUrl }) {
  const service = new URL(serviceUrl);
  const role = pg.escapeIdentifier(decodeURIComponent(service.username));
  const database = decodeURIComponent(service.pathname.slice(1));
  await withClient(Object.assign(new URL(ownerUrl), { pathname: '/postgres' }).href, async (client) => {
    await unlessThere(client.query(createRole(role, decodeURIComponent(service.password))));
    await unlessThere(client.query(`CREATE DATABASE ${pg.escapeIdentifier(database)}`));
  });
  await withClient(ownerUrl, async (client) => {
    await client.query(`
      CREATE SCHEMA IF NOT EXISTS ${QUEUE_SCHEMA} AUTHORIZATION ${role};
      GRANT USAGE ON SCHEMA public TO ${role};
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role};
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO ${role};`);
    await installQueue(client, role, pg.escapeIdentifier(database), serviceUrl);
  });
}

// duplicate_object, duplicate_database and, when two starts race, unique_violation in the catalogue.
const THERE = ['42710', '42P04', '23505'];

async function unlessThere(creation) {
  try {
    await creation;
  } catch (error) {
    if (!THERE.includes(error.code)) throw error;
  }
}

// Without superuser's ways around row-level security, tenants are kept apart whatever the service asks for.
const createRole = (role, password) =>
  `CREATE ROLE ${role} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD ${pg.escapeLiteral(password)}`;

/** The queue's installer says "create schema if not exists", for which PostgreSQL wants CREATE even when it exists. */
async function installQueue(client, role, database, serviceUrl) {
  await client.query(`GRANT CREATE ON DATABASE ${database} TO ${role}`);
  try {
    await runMigrations({ connectionString: serviceUrl, schema: QUEUE_SCHEMA, logger: SILENT });
  } finally {
    await client.query(`REVOKE CREATE ON DATABASE ${database} FROM ${role}`);
  }
}
