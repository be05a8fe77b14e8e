import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#dev/testing/database.ts';
import { databaseTlsFaults } from '#server/core/database-tls.mjs';
import { openDatabase } from '#server/core/db.ts';
import { maintenanceUrl } from '../../admin/schema-engine/connection.mjs';
import { withClient } from './with-client.mjs';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

const PRODUCTION = { CARELANE_ENV: 'production' };

test('rejects a connection to a database without TLS when the URL requires verification', async () => {
  const url = `${database.url}?sslmode=verify-full`;
  expect(databaseTlsFaults(PRODUCTION, { DATABASE_URL: url })).toEqual([]);
  const opened = openDatabase({ url, poolSize: 2 });
  await expect(opened.assertConfined()).rejects.toThrow(/SSL/);
  await expect(opened.tenantsOf('tenants')).rejects.toThrow(/SSL/);
  await opened.close();
  for (const address of [url, maintenanceUrl(url)])
    await expect(withClient(address, async () => 'connected')).rejects.toThrow(/SSL/);
});

test('requires verification in every URL of a production deployment, and reports errors without the password', () => {
  const addresses = { MIGRATION_DATABASE_URL: database.ownerUrl, DATABASE_URL: database.url };
  const faults = databaseTlsFaults(PRODUCTION, addresses);
  expect(faults).toEqual([
    expect.stringMatching(/^MIGRATION_DATABASE_URL must say sslmode=verify-full/),
    expect.stringMatching(/^DATABASE_URL must say sslmode=verify-full/),
  ]);
  expect(faults.join()).not.toContain(new URL(database.url).password);
  expect(databaseTlsFaults({ ...PRODUCTION, DATABASE_TLS: 'off' }, addresses)).toEqual([]);
  expect(databaseTlsFaults({ CARELANE_ENV: 'sandbox' }, addresses)).toEqual([]);
  expect(databaseTlsFaults({ CARELANE_ENV: 'sandbox', DATABASE_TLS: 'verify' }, addresses)).toHaveLength(2);
});
