import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#dev/testing/database.ts';
import { isMigrated, migrateDatabase } from '../launcher/postgres/migrate-database.mjs';
import { withClient } from '../launcher/postgres/with-client.mjs';
import { root } from '../launcher/root.mjs';

/** Prisma's own CLI with our engine. */
const prisma = async (url: string, ...args: string[]) => {
  const file = path.join(root, 'node_modules/prisma/build/index.js');
  const env = { ...process.env, MIGRATION_DATABASE_URL: url };
  return (await promisify(execFile)(process.execPath, [file, ...args], { cwd: root, env })).stdout;
};

describe('Prisma Migrate with the WebAssembly engine', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    const everything = 'DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO carelane';
    await withClient(database.ownerUrl, (client) => client.query(everything));
  });
  afterAll(() => database.drop());

  it('applies the migrations once, and agrees with isMigrated', async () => {
    const addresses = { ownerUrl: database.ownerUrl, serviceUrl: database.url };
    expect(await isMigrated(database.ownerUrl)).toBe(false);
    expect(await migrateDatabase(addresses)).toBe(true);
    expect(await migrateDatabase(addresses)).toBe(false);
    expect(await prisma(database.ownerUrl, 'migrate', 'status')).toContain('Database schema is up to date');
  });

  it('finds no difference between the data model and the migrations', async () => {
    const args = ['--from-migrations', 'prisma/migrations', '--to-schema', 'prisma/schema.prisma', '--exit-code'];
    expect(await prisma(database.ownerUrl, 'migrate', 'diff', ...args)).toContain('No difference detected');
  });

  it('leaves no shadow database behind', async () => {
    const shadows = "SELECT datname FROM pg_database WHERE datname LIKE 'prisma_migrate_shadow%'";
    expect((await withClient(database.ownerUrl, (client) => client.query(shadows))).rows).toEqual([]);
  });
});
