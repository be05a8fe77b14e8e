import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { migrateDatabase } from './migrate-database.mjs';
import { prepareDatabase } from './prepare-database.mjs';
import { readRelease } from './read-release.mjs';
import { withClient } from './with-client.mjs';

describe('a database whose owner is not a superuser', () => {
  const name = `outside_${randomUUID().slice(0, 8)}`;
  const admin = inject('template').ownerUrl;
  const urlFor = (user: string, password: string) =>
    Object.assign(new URL(admin), { username: user, password, pathname: `/${name}` }).href;
  const addresses = { ownerUrl: urlFor(`${name}_owner`, 'owner'), serviceUrl: urlFor(`${name}_service`, 'service') };

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

  it('can be prepared and migrated, by several starts at once', async () => {
    await Promise.all([prepareDatabase(addresses), prepareDatabase(addresses)]);
    expect(await migrateDatabase(addresses)).toBe(true);
    await run(addresses.serviceUrl, "SELECT graphile_worker.add_job('nothing')", 'SELECT * FROM tenant_routes');
  });

  it('maintains the log of every tenant by functions of that owner', async () => {
    const tenant = randomUUID();
    const log = (tenantId: string) => `INSERT INTO audit_entries
      (id, tenant_id, action, object_type, object_id, actor_type, actor_id, request_id)
      VALUES ('${randomUUID()}', '${tenantId}', 'patients.get', 'Patient', 'x', 'System', 'x', 'x')`;
    await withClient(addresses.serviceUrl, async (client) => {
      const query = async (text: string) => (await client.query(text)).rows;
      await query(`SELECT set_config('app.tenant_id', '${tenant}', false)`);
      await query(log(tenant));
      await expect(query(log(randomUUID()))).rejects.toThrow('row-level security');
      await query("SELECT set_config('app.tenant_id', '', false)");
      expect(await query('SELECT audit_tenants_to_seal() AS tenant')).toEqual([{ tenant }]);
      expect(await query(`SELECT seal_audit('${tenant}') AS sealed`)).toEqual([{ sealed: 1 }]);
      expect(await query('SELECT * FROM make_log_partitions(4)')).toEqual([{ made: 2, strayed: 0 }]);
      // Simulates an old month: its partition and its rows are created now.
      await run(addresses.ownerUrl, "SELECT carelane_make_month('audit_entries', '2015-01-01')");
      await run(
        admin.replace(/[^/]*$/, name),
        'SET session_replication_role = replica',
        `INSERT INTO audit_entries_2015_01 SELECT (jsonb_populate_record(e, '{"created_at": "2015-01-05", "id": "${tenant}"}')).* FROM audit_entries e`,
        `INSERT INTO audit_unsealed SELECT tenant_id, position + 1, id, created_at FROM audit_entries WHERE id = '${tenant}'`,
      );
      expect(await query("SELECT drop_log_partitions('audit_entries', '2016-01-01') AS dropped")).toEqual([
        { dropped: 1 },
      ]);
      await query('SELECT trim_audit_seals(10)');
      await query(`SELECT set_config('app.tenant_id', '${tenant}', false)`);
      await query(`SELECT seal_audit('${tenant}')`);
      expect(await query("SELECT seals, broken FROM check_audit_seals(0, '', 10)")).toEqual([{ seals: 3, broken: [] }]);
    });
  });

  it('grants a read-only role neither writing to the log nor the functions of the owner', async () => {
    const reader = `${name}_reader`;
    const rights = `SELECT has_table_privilege($1, 'events', 'SELECT') AS reads, has_table_privilege($1, 'events', 'INSERT') AS adds,
      has_any_column_privilege($1, 'audit_entries', 'INSERT') AS notes, has_function_privilege($1, 'seal_audit(uuid, int)', 'EXECUTE') AS seals`;
    await run(admin, `CREATE ROLE ${reader}`);
    await run(addresses.ownerUrl, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${reader}`);
    try {
      await migrateDatabase(addresses, readRelease(), { again: true });
      await withClient(addresses.ownerUrl, async (client) => {
        const read = async (role: string) => (await client.query(rights, [role])).rows[0];
        expect(await read(reader)).toEqual({ reads: true, adds: false, notes: false, seals: false });
        expect(await read(`${name}_service`)).toEqual({ reads: true, adds: true, notes: true, seals: true });
      });
    } finally {
      await run(admin.replace(/[^/]*$/, name), `DROP OWNED BY ${reader}`, `DROP ROLE ${reader}`);
    }
  });

  it('denies the service write access to its migration history', async () => {
    await expect(run(addresses.serviceUrl, 'DELETE FROM _prisma_migrations')).rejects.toThrow('permission denied');
  });
});
