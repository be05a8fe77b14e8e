import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { inject } from 'vitest';
import { withClient } from '../../launcher/postgres/with-client.mjs';
import { TEMPLATE } from './database-server.ts';

export type TestDatabase = {
  /** Connection URL for the service's role, which is subject to row-level security. */
  url: string;
  /** Connection URL for the owner, which bypasses row-level security. */
  ownerUrl: string;
  drop(): Promise<void>;
};

/** Creates an empty, migrated database for one suite. Only in `*.db.test.ts` files. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const template = inject('template');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const admin = at(template.ownerUrl, 'postgres');
  await withClient(admin, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY file_copy`));
  return {
    url: at(template.serviceUrl, name),
    ownerUrl: at(template.ownerUrl, name),
    async drop() {
      await withClient(admin, async (client) => {
        // Ending a pool does not wait for its sockets, and a connection that is cut while it closes raises an uncaught
        // error.
        for (let round = 0; round < 100 && (await isInUse(client, name)); round++) await pause(20);
        await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      });
    },
  };
}

async function isInUse(client: pg.Client, database: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1', [database]);
  return rowCount !== 0;
}

const at = (url: string, database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href;
