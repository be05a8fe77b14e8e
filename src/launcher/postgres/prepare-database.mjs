import { Logger, runMigrations } from 'graphile-worker';
import pg from 'pg';
import { withClient } from './with-client.mjs';

const QUEUE_SCHEMA = 'graphile_worker';
// duplicate_object, duplicate_database and, when two starts race, unique_violation in the catalogue.
const ALREADY_EXISTS = ['42710', '42P04', '23505'];
const NO_SUCH_DATABASE = '3D000';
const SILENT = new Logger(() => () => {});

/**
 * Creates what migrations require and must not contain: the database, the service's role with its password, the role's
 * default privileges, and the job queue, which that role owns. It is idempotent, also when run concurrently. The owner
 * need not be a superuser: it needs CREATE on the database, and CREATEROLE if the role does not exist.
 * @param {{ ownerUrl: string, serviceUrl: string }} addresses of one database, for its owner and for the service
 */
export async function prepareDatabase({ ownerUrl, serviceUrl }) {
  const service = new URL(serviceUrl);
  const role = decodeURIComponent(service.username);
  await createDatabase(ownerUrl);
  await withLock(ownerUrl, async (client) => {
    await createRole(client, role, decodeURIComponent(service.password));
    const quoted = pg.escapeIdentifier(role);
    await client.query(`
      GRANT USAGE ON SCHEMA public TO ${quoted};
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${quoted};
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO ${quoted};`);
    await installQueue(client, quoted, serviceUrl);
  });
}

/** A transaction lock on a second connection, because a pooler in transaction mode would not release a session lock. */
const withLock = (url, work) =>
  withClient(url, async (holder) => {
    await holder.query("BEGIN; SELECT pg_advisory_xact_lock(hashtext('carelane: prepare'))");
    return withClient(url, work);
  });

async function createDatabase(url) {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  try {
    await withClient(url, async () => {});
  } catch (error) {
    if (error.code !== NO_SUCH_DATABASE) throw error;
    const maintenance = Object.assign(new URL(url), { pathname: '/postgres' }).href;
    await ignoreExisting(() =>
      withClient(maintenance, (client) => client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`)),
    );
  }
}

/** The role cannot bypass row-level security, so tenants are isolated for every query of the service. */
async function createRole(client, role, password) {
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  if (rowCount) return;
  const name = pg.escapeIdentifier(role);
  const rights = 'LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE';
  await ignoreExisting(() => client.query(`CREATE ROLE ${name} ${rights} PASSWORD ${pg.escapeLiteral(password)}`));
}

/** The role owns the queue's schema: the library migrates its own tables when the service starts. */
async function installQueue(client, role, serviceUrl) {
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [QUEUE_SCHEMA]);
  if (rowCount) return;
  const { rows } = await client.query('SELECT current_database() AS name');
  const database = pg.escapeIdentifier(rows[0].name);
  // Its installer runs "create schema if not exists", for which PostgreSQL requires CREATE even if the schema exists.
  await client.query(`GRANT CREATE ON DATABASE ${database} TO ${role}`);
  try {
    await runMigrations({ connectionString: serviceUrl, schema: QUEUE_SCHEMA, logger: SILENT });
  } finally {
    await client.query(`REVOKE CREATE ON DATABASE ${database} FROM ${role}`);
  }
}

async function ignoreExisting(create) {
  try {
    await create();
  } catch (error) {
    if (!ALREADY_EXISTS.includes(error.code)) throw error;
  }
}
