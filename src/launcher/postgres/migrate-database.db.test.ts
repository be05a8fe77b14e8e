import { spawnSync } from 'node:child_process';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#dev/testing/database.ts';
import { startPgbouncer } from '#dev/testing/start-pgbouncer.ts';
import { isMigrated, migrateDatabase } from './migrate-database.mjs';
import { prepareDatabase } from './prepare-database.mjs';
import { readRelease } from './read-release.mjs';

const release = readRelease();
const fileOf = (name: string, sql: string) => ({ name, sql, checksum: `checksum of ${sql}` });
const withMigration = (sql: string, name = '29990101000000_next') => ({
  ...release,
  migrations: [...release.migrations, fileOf(name, sql)],
});
const withObject = (name: string, sql: string) => ({
  ...release,
  objects: [...release.objects.filter((object) => object.name !== name), fileOf(name, sql)],
});

let database: TestDatabase;
let client: pg.Client;
beforeEach(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

const migrate = (to: typeof release = release) =>
  migrateDatabase({ ownerUrl: database.ownerUrl, serviceUrl: database.url }, to);
const query = async (text: string) => (await client.query(text)).rows;
const readObjects = () => query('select * from _database_objects order by name, applied_at');
const readMigrations = async () =>
  (await query('select migration_name from _prisma_migrations')).map((row) => row.migration_name);

test('applies a release once when two migrators run at the same time', async () => {
  await query('drop schema public cascade; create schema public');
  await prepareDatabase({ ownerUrl: database.ownerUrl, serviceUrl: database.url });
  expect(await isMigrated(database.ownerUrl)).toBe(false);
  expect((await Promise.all([migrate(), migrate()])).sort()).toEqual([false, true]);
  expect(await isMigrated(database.url, { exact: true })).toBe(true);
  expect(await readMigrations()).toEqual(release.migrations.map(({ name }) => name));
});

test('leaves no lock behind at a pooler in transaction mode', async () => {
  const pooler = await startPgbouncer(database.ownerUrl, 4);
  try {
    const addresses = { ownerUrl: pooler.url, serviceUrl: database.url };
    await prepareDatabase(addresses);
    expect(await migrateDatabase(addresses, withMigration('create table pooled ()'))).toBe(true);
    expect(
      await query(`select objid from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`),
    ).toEqual([]);
  } finally {
    await pooler.stop();
  }
});

describe('an object', () => {
  it('is applied again when its text changes, and no other object is', async () => {
    const before = await readObjects();
    const next = withObject(
      'audit_hash',
      'create or replace function audit_hash(previous bytea, entry audit_entries) returns bytea language sql as $$ select previous $$',
    );
    expect(await migrate(next)).toBe(true);
    const after = await readObjects();
    expect(after.filter((row) => !before.some((previous) => previous.checksum === row.checksum))).toMatchObject([
      { name: 'audit_hash' },
    ]);
    expect(after).toHaveLength(before.length + 1);
    expect(await migrate(next)).toBe(false);
  });

  it('of a newer release stays when a process of this release restarts', async () => {
    const next = withObject(
      'new_function',
      'create function new_function() returns int language sql as $$ select 1 $$',
    );
    expect(await isMigrated(database.url, { release: next })).toBe(false);
    await migrate(next);
    const older = withObject(
      'new_function',
      'create or replace function new_function() returns int language sql as $$ select 0 $$',
    );
    await migrate(older);
    expect(await isMigrated(database.url, { release: next })).toBe(true);
    expect(await isMigrated(database.url, { release: next, exact: true })).toBe(false);
    expect(await migrate(withMigration('create table later ()'))).toBe(true);
    expect(await migrate(next)).toBe(false);
  });

  it('that a newer release dropped is recreated after a rollback, and dropped again after an update', async () => {
    const count = () => query("select from pg_proc where proname = 'audit_checkpoint'").then((rows) => rows.length);
    const dropping = withObject(
      'drop FUNCTION audit_checkpoint(audit_chains)',
      'DROP FUNCTION IF EXISTS audit_checkpoint(audit_chains)',
    );
    expect(await migrate(dropping)).toBe(true);
    expect(await count()).toBe(0);
    expect(await isMigrated(database.url)).toBe(true);
    expect(await isMigrated(database.url, { exact: true })).toBe(false);
    expect(await migrate()).toBe(true);
    expect(await count()).toBe(1);
    expect(await isMigrated(database.url, { exact: true })).toBe(true);
    expect(await migrate()).toBe(false);
    expect(await migrate(dropping)).toBe(true);
    expect(await count()).toBe(0);
  });

  it('is rejected when its parameters change under the same name', async () => {
    await query(`create function helper(int) returns int language sql as 'select 1';
      create function helper(text) returns int language sql as 'select 1'`);
    const other = 'create or replace function seal_audit(whose uuid) returns int language sql as $$ select 1 $$';
    await expect(migrate(withObject('seal_audit', other))).rejects.toThrow(
      'The parameters of seal_audit were changed: give the function with the new ones another name.',
    );
    expect(await query("select from pg_proc where proname = 'seal_audit'")).toHaveLength(1);
  });
});

describe('a migration', () => {
  it('that fails rolls back its whole release', async () => {
    const before = await readObjects();
    const next = {
      ...withMigration('create table first ()'),
      objects: withObject('broken', 'create nonsense').objects,
    };
    await expect(migrate(next)).rejects.toThrow(/^broken failed, and the database is as it was before: syntax error/);
    expect(await query("select to_regclass('first') as made")).toEqual([{ made: null }]);
    expect(await readObjects()).toEqual(before);
    expect(await readMigrations()).toEqual(release.migrations.map(({ name }) => name));
  });

  it('yields to transactions of the service, and is applied after them', async () => {
    await query('begin; lock table patients in access share mode');
    const migrated = migrate(withMigration('alter table patients add column shoe_size int'));
    const reader = new pg.Client({ connectionString: database.ownerUrl });
    await reader.connect();
    // The migrator waits for the table, and blocks new readers until its lock times out.
    await expect.poll(async () => (await reader.query(WAITING)).rowCount).toBe(1);
    await reader.query('select from patients');
    await reader.end();
    await query('commit');
    expect(await migrated).toBe(true);
    expect(await query('select shoe_size from patients')).toEqual([]);
  });

  it('that was edited after it was applied is rejected', async () => {
    await migrate(withMigration('create table diaries ()'));
    await expect(migrate(withMigration('create table diaries (id int)'))).rejects.toThrow(
      'The migration 29990101000000_next was changed after it was applied to this database.',
    );
  });
});

test('rejects a database of another branch, and names its unknown and missing migrations', async () => {
  await migrate(withMigration('create table one ()', '29990101000000_one'));
  await expect(migrate(withMigration('create table two ()', '29990102000000_two'))).rejects.toThrow(
    'This database has 29990101000000_one, which this release does not know, and lacks 29990102000000_two.',
  );
});

const WAITING = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

describe('a database of the migrations before the initial one', () => {
  beforeEach(async () => {
    await query('drop schema public cascade; create schema public');
    await prepareDatabase({ ownerUrl: database.ownerUrl, serviceUrl: database.url });
    await query(release.migrations.find(({ name }) => name === release.baseline.initial)!.sql);
    await query(`create table _prisma_migrations (id text, checksum text, finished_at timestamptz, migration_name text,
      rolled_back_at timestamptz, applied_steps_count int)`);
    for (const [name, checksum] of Object.entries(release.baseline.replaces))
      await client.query(
        'insert into _prisma_migrations (id, migration_name, checksum, finished_at) values (gen_random_uuid(), $1, $2, now())',
        [name, checksum],
      );
  });

  it('is marked as migrated without changing a row', async () => {
    await query(`insert into tenants (id, name, time_zone) values (gen_random_uuid(), 'Clinic', 'Europe/Berlin')`);
    await query('create extension pg_stat_statements');
    const rows = 'select xmin, ctid, id, name, time_zone from tenants';
    const before = await query(rows);
    expect(await isMigrated(database.url)).toBe(false);
    expect(await migrate()).toBe(true);
    expect(await query(rows)).toEqual(before);
    // Practitioners of a clinic from before the roles keep what they could do.
    expect(await query('select practitioner_options as options from tenants')).toEqual([
      { options: ['subscriptions:cancel', 'payments:refund', 'lists:export'] },
    ]);
    expect(await migrate()).toBe(false);
    const replaced = Object.keys(release.baseline.replaces).length;
    expect(await readMigrations()).toHaveLength(replaced + release.migrations.length);
  });

  /** @returns the lines with the differences */
  async function errorLines(): Promise<string[]> {
    const message = await migrate().then(
      () => '',
      (error: Error) => error.message,
    );
    expect(message).toMatch(/^This database cannot be migrated, and nothing in it was changed\./);
    expect(message).not.toMatch(/reset|delete|drop/i);
    expect(await query("select to_regclass('_database_objects') as made")).toEqual([{ made: null }]);
    return message.split('\n').slice(1);
  }

  it('is rejected with the tables that differ', async () => {
    await query(`
      alter table patients add column shoe_size int;
      drop index patients_tenant_id_sort_name_id_idx;
      alter table slot_claims drop constraint slot_claims_in_order`);
    expect(await errorLines()).toEqual([
      '  missing: constraint slot_claims.slot_claims_in_order CHECK ((start_at < end_at))',
      '  missing: index CREATE INDEX patients_tenant_id_sort_name_id_idx ON patients USING btree (tenant_id, sort_name, id)',
      '  not known: column patients.shoe_size integer',
    ]);
  });

  it('is rejected with the migrations that differ', async () => {
    const [first, second, third] = Object.keys(release.baseline.replaces);
    await query(`
      delete from _prisma_migrations where migration_name = '${first}';
      update _prisma_migrations set checksum = 'x' where migration_name = '${second}';
      update _prisma_migrations set finished_at = null where migration_name = '${third}';
      insert into _prisma_migrations (id, checksum, finished_at, migration_name) values (1, 'x', now(), '1_other')`);
    expect(await errorLines()).toEqual([
      '  1_other is not known',
      `  ${first} is missing`,
      `  ${second} was changed`,
      `  ${third} is not finished`,
    ]);
  });

  it('is rejected when another program created the tables', async () => {
    await query('drop table _prisma_migrations');
    expect((await errorLines()).at(-1)).toBe('  and 44 more');
    // The operator's command prints the same message without a stack trace.
    const env = { ...process.env, MIGRATION_DATABASE_URL: database.ownerUrl, DATABASE_URL: database.url };
    const { status, stderr } = spawnSync(process.execPath, ['src/admin/migrate.mjs'], { env, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^This database cannot be migrated[\s\S]+\n {2}and 44 more\n$/);
  });
});
