import pg from 'pg';
import { withClient } from '../../launcher/postgres/with-client.mjs';

const databaseOf = (url) => decodeURIComponent(new URL(url).pathname.slice(1));

/** The URL of the server's `postgres` database, from which databases are created and dropped. */
export const maintenanceUrl = (url) => Object.assign(new URL(url), { pathname: '/postgres' }).href;

/** @returns null, or Prisma's error code with a message */
export async function whyUnreachable(url) {
  try {
    await withClient(url, async () => {});
    return null;
  } catch (error) {
    if (error.code === '3D000') return { code: 'P1003', message: `Database "${databaseOf(url)}" does not exist` };
    return { code: 'P1001', message: `Can't reach the database server: ${error.message || error.code}` };
  }
}

// duplicate_database and unique_violation, when two starts create it at once:
// https://www.postgresql.org/docs/18/errcodes-appendix.html
const DATABASE_EXISTS = ['42P04', '23505'];

/** @returns the name of the new database */
export async function createDatabase(url, name = databaseOf(url), options = '') {
  try {
    await withClient(maintenanceUrl(url), (client) =>
      client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)} ${options}`),
    );
  } catch (error) {
    if (!DATABASE_EXISTS.includes(error.code)) throw error;
  }
  return name;
}

export async function dropDatabase(url, name = databaseOf(url)) {
  await withClient(maintenanceUrl(url), (client) =>
    client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`),
  );
}
