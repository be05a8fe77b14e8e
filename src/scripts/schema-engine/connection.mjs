import pg from 'pg';

const databaseOf = (url) => decodeURIComponent(new URL(url).pathname.slice(1));

/** The same server's `postgres` database: where databases are created and dropped from. */
export function maintenanceUrl(url) {
  const { href } = Object.assign(new URL(url), { pathname: '/postgres', search: '' });
  return href;
}

async function withClient(url, work) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** @returns null, or Prisma's error code and a sentence */
export async function whyUnreachable(url) {
  try {
    await withClient(url, async () => {});
    return null;
  } catch (error) {
    if (error.code === '3D000') return { code: 'P1003', message: `Database "${databaseOf(url)}" does not exist` };
    return { code: 'P1001', message: `Can't reach the database server: ${error.message || error.code}` };
  }
}

/** @returns the new database's name */
export async function createDatabase(url, name = databaseOf(url), options = '') {
  await withClient(maintenanceUrl(url), (client) =>
    client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)} ${options}`),
  );
  return name;
}

export async function dropDatabase(url, name = databaseOf(url)) {
  await withClient(maintenanceUrl(url), (client) =>
    client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`),
  );
}
