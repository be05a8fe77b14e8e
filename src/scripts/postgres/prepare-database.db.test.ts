import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { migrateDatabase } from './migrate-database.mjs';
import { prepareDatabase } from './prepare-database.mjs';
import { withClient } from './with-client.mjs';

describe('a database whose owner is no superuser', () => {
  const name = `outside_${randomUUID().slice(0, 8)}`;
  const admin = inject('template').ownerUrl;
  const at = (user: string, password: string) =>
    Object.assign(new URL(admin), { username: user, password, pathname: `/${name}` }).href;
  const addresses = { ownerUrl: at(`${name}_owner`, 'owner'), serviceUrl: at(`${name}_service`, 'service') };

  const run = (url: string, ...statements: string[]) =>
    withClient(url, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  beforeAll(() =>
    run(
      admin,
      `CREATE ROLE ${name}_owner LOGIN CREATEROLE PASSWORD 'owner'`,
      `CREATE DATABASE ${name} OWNER ${name}_owner TEMPLATE template0`,
    ),
  );
  afterAll(() =>
    run(admin, `DROP DATABASE ${name} WITH (FORCE)`, `DROP ROLE IF EXISTS ${name}_service`, `DROP ROLE ${name}_owner`),
  );

  it('is prepared and migrated all the same, by several starts at once', async () => {
    await Promise.all([prepareDatabase(addresses), prepareDatabase(addresses)]);
    expect(await migrateDatabase(addresses)).toBe(true);
    await run(addresses.serviceUrl, "SELECT graphile_worker.add_job('nothing')", 'SELECT * FROM tenant_routes');
  });

  it('keeps its migration history from the service', async () => {
    await expect(run(addresses.serviceUrl, 'DELETE FROM _prisma_migrations')).rejects.toThrow('permission denied');
  });
});
