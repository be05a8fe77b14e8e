import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withClient } from '../../launcher/postgres/with-client.mjs';
import { createTestDatabase, type TestDatabase } from './database.ts';

describe('a test database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const query = (url: string, sql: string) => withClient(url, async (client) => (await client.query(sql)).rows);

  it('gives the service no way around row-level security', async () => {
    const [role] = await query(
      database.url,
      'SELECT rolname, rolsuper, rolbypassrls, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user',
    );
    expect(role).toEqual({
      rolname: 'carelane',
      rolsuper: false,
      rolbypassrls: false,
      rolcreatedb: false,
      rolcreaterole: false,
    });
  });

  it('denies the service tables and schemas of its own', async () => {
    await expect(query(database.url, 'CREATE TABLE intruder (id int)')).rejects.toThrow('permission denied');
    await expect(query(database.url, 'CREATE SCHEMA intruder')).rejects.toThrow('permission denied');
  });

  it('holds the job queue, which the service owns', async () => {
    const rows = await query(database.url, "SELECT id FROM graphile_worker.add_job('nothing')");
    expect(rows).toHaveLength(1);
  });

  it('is isolated from the next one', async () => {
    const other = await createTestDatabase();
    await query(database.ownerUrl, 'CREATE TABLE only_here (id int)');
    await expect(query(other.ownerUrl, 'TABLE only_here')).rejects.toThrow('does not exist');
    await other.drop();
  });
});
