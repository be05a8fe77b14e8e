import { spawnSync } from 'node:child_process';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#dev/testing/database.ts';

let database: TestDatabase;
let owner: pg.Client;
beforeEach(async () => {
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
});
afterEach(async () => {
  await owner.end();
  await database.drop();
});

function migrate(...args: string[]) {
  const env = { ...process.env, MIGRATION_DATABASE_URL: database.ownerUrl, DATABASE_URL: database.url };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['src/admin/migrate.mjs', ...args], { env });
  return { status, stdout: `${stdout}`, stderr: `${stderr}` };
}

test('npm run migrate recreates a manually dropped object only with --again', async () => {
  await owner.query('drop policy tenant on patients; drop function seal_audit');
  expect(migrate()).toEqual({ status: 0, stdout: 'Nothing to do.\n', stderr: '' });
  expect(migrate('--again')).toEqual({ status: 0, stdout: 'Migrated.\n', stderr: '' });
  const there = `select from pg_policy where polrelid = 'patients'::regclass and polname = 'tenant' and to_regproc('seal_audit') is not null`;
  expect((await owner.query(there)).rowCount).toBe(1);
});

test('npm run migrate reports errors in one sentence', async () => {
  await owner.query("update _prisma_migrations set checksum = 'x'");
  const { status, stderr } = migrate();
  expect(status).toBe(1);
  expect(stderr).toMatch(/^The migration \w+ was changed after it was applied to this database\..*\n$/);
  expect(migrate('--agian')).toEqual({ status: 1, stdout: '', stderr: 'npm run migrate [-- --again]\n' });
});
