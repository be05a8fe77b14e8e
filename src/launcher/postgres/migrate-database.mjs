import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { UserError } from '../user-error.mjs';
import { readRelease } from './read-release.mjs';
import { withClient } from './with-client.mjs';

/**
 * Describes the tables of a schema as lines for comparison: tables, columns, constraints, indexes and sequences,
 * without the order of columns. It omits objects of extensions, monthly log partitions, which are created over time,
 * and functions, triggers, policies and privileges, which are defined in `prisma/sql`.
 *
 * @param {import('pg').Client} client
 * @param {string} schema first on the search path, so that names within it are unqualified
 * @returns {Promise<Set<string>>}
 */
async function readCatalogue(client, schema) {
  const { rows } = await client.query(CATALOGUE, [schema]);
  return new Set(rows.map(({ line }) => line.replaceAll(`${schema}.`, '')));
}

const MIGRATION_TABLES = ['_prisma_migrations', '_database_objects'];
const CATALOGUE = `
  WITH relations AS (
    SELECT c.* FROM pg_class c
    WHERE c.relnamespace = $1::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')
  ), tables AS (
    SELECT * FROM relations
    WHERE relkind IN ('r', 'p') AND relname !~ '_\\d{4}_\\d{2}$'
      AND relname NOT IN (${MIGRATION_TABLES.map((name) => `'${name}'`)})
  )
  SELECT concat_ws(' ', 'table', relname, CASE relpersistence WHEN 'u' THEN 'unlogged' END, reloptions::text,
    CASE WHEN relkind = 'p' THEN 'partitioned by ' || pg_get_partkeydef(oid) END,
    CASE WHEN relispartition THEN 'partition ' || pg_get_expr(relpartbound, oid) END) AS line
  FROM tables
  UNION ALL
  SELECT concat_ws(' ', 'column', t.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attcollation <> typ.typcollation THEN 'collate ' || a.attcollation::regcollation END,
    CASE WHEN a.attnotnull THEN 'not null' END,
    CASE a.attgenerated WHEN '' THEN 'default ' ELSE 'generated ' END || pg_get_expr(d.adbin, d.adrelid))
  FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type typ ON typ.oid = a.atttypid LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
  UNION ALL
  SELECT concat_ws(' ', 'constraint', t.relname || '.' || k.conname, pg_get_constraintdef(k.oid))
  FROM tables t JOIN pg_constraint k ON k.conrelid = t.oid WHERE k.contype <> 'n'
  UNION ALL
  SELECT concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid), CASE WHEN NOT i.indisvalid THEN 'not valid' END)
  FROM tables t JOIN pg_index i ON i.indrelid = t.oid
  UNION ALL
  SELECT concat_ws(' ', 'sequence', c.relname, format_type(s.seqtypid, NULL), s.seqstart, s.seqincrement,
    'owned by ' || (SELECT d.refobjid::regclass || '.' || a.attname FROM pg_depend d
      JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'a'))
  FROM relations c JOIN pg_sequence s ON s.seqrelid = c.oid
  UNION ALL
  SELECT 'other ' || relname FROM relations WHERE relkind IN ('v', 'm', 'f')
  UNION ALL
  SELECT 'enumeration ' || typname FROM pg_type t WHERE typnamespace = $1::regnamespace AND typtype IN ('e', 'd')
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_type'::regclass AND objid = t.oid AND deptype = 'e')
  ORDER BY 1`;

const MAX_SHOWN = 10;

/**
 * Checks that a database from the migrations before the initial one equals the result of the initial one: the same
 * migrations, and the same tables, which are created in a temporary schema for the comparison. It reads no rows and
 * leaves nothing behind.
 *
 * @param {import('pg').Client} client in a transaction
 * @param {Map<string, string>} applied checksums of migrations by name
 * @param {{ initial: string, replaces: Record<string, string> }} baseline
 * @param {import('./read-release.mjs').SqlFile[]} migrations
 * @throws {UserError} with the differences
 */
async function assertBaseline(client, applied, { initial, replaces }, migrations) {
  const names = new Set([...applied.keys(), ...Object.keys(replaces)]);
  throwDifferences(
    'Its migrations are not those that the initial migration of this release replaces',
    [...names].sort().flatMap((name) => {
      if (!applied.has(name)) return [`${name} is missing`];
      if (!(name in replaces)) return [`${name} is not known`];
      if (applied.get(name) === 'not finished') return [`${name} is not finished`];
      return applied.get(name) === replaces[name] ? [] : [`${name} was changed`];
    }),
  );
  const expected = await catalogueOf(client, migrations.find(({ name }) => name === initial).sql);
  const present = await readCatalogue(client, 'public');
  throwDifferences('Its tables are not those of this release', [
    ...[...expected].filter((line) => !present.has(line)).map((line) => `missing: ${line}`),
    ...[...present].filter((line) => !expected.has(line)).map((line) => `not known: ${line}`),
  ]);
}

async function catalogueOf(client, sql) {
  const schema = 'carelane_expected';
  await client.query(`SAVEPOINT expected; CREATE SCHEMA ${schema}; SET LOCAL search_path = ${schema}, public`);
  await client.query(sql);
  const catalogue = await readCatalogue(client, schema);
  await client.query('ROLLBACK TO SAVEPOINT expected');
  return catalogue;
}

function throwDifferences(heading, differences) {
  if (differences.length === 0) return;
  const rest = differences.length - MAX_SHOWN;
  const lines = [...differences.slice(0, MAX_SHOWN), ...(rest > 0 ? [`and ${rest} more`] : [])];
  throw new UserError(
    `This database cannot be migrated, and nothing in it was changed. ${heading}:\n${lines.map((line) => `  ${line}`).join('\n')}`,
  );
}

// The lock id of Prisma's CLI, so that neither runs at the same time as the other. It is a transaction lock, because a
// pooler in transaction mode would not release a session lock.
const MIGRATOR_LOCK = 72707369;

/**
 * Checks if a service of this release can run on a database. A database of a newer release passes too, although its
 * objects have replaced those of this release, because old processes may restart during an update.
 *
 * @param {string} url of the owner or of the service
 * @param {{ exact?: boolean, release?: ReturnType<typeof readRelease> }} [options] `exact`: every object must have the
 * text of this release
 */
export async function isMigrated(url, { exact = false, release = readRelease() } = {}) {
  const { migrations, objects } = release;
  return withClient(url, async (client) => {
    const applied = await readApplied(client);
    return (
      !(exact && droppedSince(applied, objects).length > 0) &&
      migrations.every(({ name, checksum }) => applied.migrations.get(name) === checksum) &&
      objects.every(({ name, checksum }) =>
        applied.objects
          .get(name)
          ?.slice(exact ? -1 : 0)
          .includes(checksum),
      )
    );
  }).catch((error) => {
    if (error.code === NO_SUCH_DATABASE) return false;
    throw error;
  });
}

/**
 * Migrates a prepared database to this release: pending migrations, and functions, triggers and policies whose text
 * differs, in one transaction.
 *
 * @param {{ ownerUrl: string, serviceUrl: string }} addresses as for `prepareDatabase`
 * @param {ReturnType<typeof readRelease>} [release]
 * @param {{ again?: boolean }} [options] `again`: also apply unchanged objects, in case one was dropped manually
 * @returns {Promise<boolean>} whether anything changed
 * @throws {UserError} when the database is in a state that no release left; nothing is changed then
 */
export async function migrateDatabase({ ownerUrl, serviceUrl }, release = readRelease(), { again = false } = {}) {
  const role = pg.escapeIdentifier(decodeURIComponent(new URL(serviceUrl).username));
  const changed = await withClient(ownerUrl, (client) =>
    retryOnContention(() => migrate(client, role, release, again)),
  );
  await makeLogPartitions(ownerUrl);
  return changed;
}

async function migrate(client, role, { migrations, objects, baseline }, again) {
  try {
    await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(${MIGRATOR_LOCK});
      SET LOCAL lock_timeout = '${LOCK_TIMEOUT_MS}ms'; SET LOCAL search_path = public`);
    const applied = await readApplied(client);
    if (!applied.migrations.has(baseline.initial) && (await hasTables(client))) {
      await assertBaseline(client, applied.migrations, baseline, migrations);
      await client.query(HISTORY);
      await record(client, migrations[0]);
      applied.migrations.set(migrations[0].name, migrations[0].checksum);
    }
    const pending = migrations.filter((migration) => isPending(migration, applied.migrations));
    const dropped = droppedSince(applied, objects);
    const differing =
      again || dropped.length > 0
        ? objects
        : objects.filter(({ name, checksum }) => applied.objects.get(name)?.at(-1) !== checksum);
    const knownNames = new Set([...migrations.map(({ name }) => name), ...Object.keys(baseline.replaces)]);
    const newer = [...applied.migrations.keys()].filter((name) => !knownNames.has(name));
    if (newer.length > 0 && pending.length > 0)
      throw new UserError(
        `This database has ${newer.join(', ')}, which this release does not know, and lacks ${pending.map(({ name }) => name).join(', ')}. Nothing was changed: use a release that has both.`,
      );
    if (newer.length > 0 || pending.length + differing.length === 0) {
      await client.query('ROLLBACK');
      return false;
    }
    await client.query(HISTORY);
    await client.query('DELETE FROM _database_objects WHERE name = ANY ($1)', [dropped]);
    const overloads = await readOverloads(client);
    for (const migration of pending) {
      await run(client, migration);
      await record(client, migration);
    }
    for (const object of differing) {
      await run(client, object);
      await client.query(RECORD_OBJECT, [object.name, object.checksum]);
    }
    assertNoOverloads(overloads, await readOverloads(client));
    // The default privileges permit the service to write these tables, which it only reads.
    await client.query(`REVOKE INSERT, UPDATE, DELETE ON _prisma_migrations, _database_objects FROM ${role}`);
    await client.query('COMMIT');
    return true;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

// `_prisma_migrations` has Prisma's format, so that `prisma migrate status` can read it. `_database_objects` has a row
// for each text of an object; the newest one is in force.
const HISTORY = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id VARCHAR(36) PRIMARY KEY, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ, migration_name VARCHAR(255) NOT NULL,
    logs TEXT, rolled_back_at TIMESTAMPTZ, started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS _database_objects (
    name TEXT, checksum TEXT, applied_at TIMESTAMPTZ NOT NULL DEFAULT now(), PRIMARY KEY (name, checksum))`;
const RECORD_OBJECT = `INSERT INTO _database_objects (name, checksum) VALUES ($1, $2)
  ON CONFLICT (name, checksum) DO UPDATE SET applied_at = now()`;

const record = (client, { name, checksum }) =>
  client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  );

/** @returns checksums of migrations by name, and of each object's texts, oldest first; empty before the first run */
async function readApplied(client) {
  const { rows: existing } = await client.query(
    "SELECT to_regclass('_prisma_migrations') AS migrations, to_regclass('_database_objects') AS objects",
  );
  const read = async (table, text) => (existing[0][table] ? (await client.query(text)).rows : []);
  const migrations = await read(
    'migrations',
    `SELECT migration_name AS name, CASE WHEN finished_at IS NOT NULL THEN checksum ELSE 'not finished' END AS checksum
     FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  );
  const objects = await read(
    'objects',
    'SELECT name, array_agg(checksum ORDER BY applied_at) AS checksums FROM _database_objects GROUP BY name',
  );
  return {
    migrations: new Map(migrations.map(({ name, checksum }) => [name, checksum])),
    objects: new Map(objects.map(({ name, checksums }) => [name, checksums])),
  };
}

/**
 * @returns {string[]} objects that another release dropped and this one has: the database may lack them, although their
 * texts were applied
 */
const droppedSince = (applied, objects) =>
  [...applied.objects.keys()].filter(
    (name) => name.startsWith('drop ') && !objects.some((object) => object.name === name),
  );

/** Returns true if the schema has tables other than those of an extension. */
async function hasTables(client) {
  const tables = `SELECT FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e') LIMIT 1`;
  return (await client.query(tables)).rowCount > 0;
}

function isPending({ name, checksum }, applied) {
  if (applied.has(name) && applied.get(name) !== checksum)
    throw new UserError(
      `The migration ${name} was changed after it was applied to this database. Restore its file, and put the change into a migration of its own.`,
    );
  return !applied.has(name);
}

async function run(client, { name, sql }) {
  await client.query(sql).catch((error) => {
    if (CONTENTION.includes(error.code)) throw error;
    throw new UserError(`${name} failed, and the database is as it was before: ${error.message}`, { cause: error });
  });
}

/** @returns the number of functions with the same name, by name; without those of extensions */
async function readOverloads(client) {
  const { rows } = await client.query(
    `SELECT proname AS name, count(*)::int AS count FROM pg_proc p WHERE pronamespace = 'public'::regnamespace
       AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
     GROUP BY proname HAVING count(*) > 1`,
  );
  return new Map(rows.map(({ name, count }) => [name, count]));
}

/**
 * `CREATE OR REPLACE` with other parameters creates an overload, and calls of the previous release may reach either.
 */
function assertNoOverloads(before, after) {
  for (const [name, count] of after)
    if (count > (before.get(name) ?? 1))
      throw new UserError(`The parameters of ${name} were changed: give the function with the new ones another name.`);
}

// lock_not_available and deadlock_detected. The timeout is shorter than PostgreSQL's deadlock_timeout, so that the
// migrator yields, never a concurrent transaction of the service.
const CONTENTION = ['55P03', '40P01'];
const LOCK_TIMEOUT_MS = 500;
const ATTEMPTS = 60;

/** Transactions of the running service hold locks that a migration needs: the migrator rolls back and retries. */
async function retryOnContention(work) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!CONTENTION.includes(error.code)) throw error;
      if (attempt === ATTEMPTS)
        throw new UserError(
          'Other transactions hold tables that a migration changes. Nothing was changed: run it again.',
        );
      await pause(LOCK_TIMEOUT_MS);
    }
  }
}

const NO_SUCH_DATABASE = '3D000';

/**
 * Creates the log partitions of the coming months, in case the daily job did not run; the service's URL is sufficient.
 */
export async function makeLogPartitions(url) {
  await withClient(url, (client) => client.query('SELECT make_log_partitions()')).catch((error) => {
    // Until the job creates them, rows go to the default partition.
    if (error.code !== CONTENTION[0]) throw error;
  });
}
