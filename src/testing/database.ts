import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { withClient } from '../scripts/postgres/with-client.mjs';
import { TEMPLATE } from './database-server.ts';

export type TestDatabase = {
  /** Address for the service's role, which row-level security binds. */
  url: string;
  /** Address for the owner, who sees every row. */
  ownerUrl: string;
  drop(): Promise<void>;
};

/** An empty, migrated database for one suite. Only in `*.db.test.ts` files. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const template = inject('template');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const admin = at(template.ownerUrl, 'postgres');
  await withClient(admin, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY file_copy`));
  return {
    url: at(template.serviceUrl, name),
    ownerUrl: at(template.ownerUrl, name),
    async drop() {
      await withClient(admin, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}

const at = (url: string, database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href;
