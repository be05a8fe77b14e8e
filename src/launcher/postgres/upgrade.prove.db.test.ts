import { randomUUID } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { insertOf, readTables } from '#dev/testing/catalogue.ts';
import { checkOutPrevious, previousCommit } from '#dev/testing/previous-commit.ts';
import { openDatabase } from '#server/core/db.ts';
import { isMigrated, migrateDatabase } from './migrate-database.mjs';
import { prepareDatabase } from './prepare-database.mjs';
import { readRelease } from './read-release.mjs';

// The commit before the initial migration has the migrations that it replaces.
const initial = `prisma/migrations/${readRelease().baseline.initial}`;
const commits = new Set([previousCommit(), previousCommit([initial])]);

test.for([...commits])(
  'migrates a database of the earlier commit %s without changing a row',
  { timeout: 120_000 },
  async (commit, { skip }) => {
    if (!commit) return skip('its history is not there');
    const name = `upgraded_${randomUUID().slice(0, 8)}`;
    const urlFor = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
    const addresses = {
      ownerUrl: urlFor(inject('template').ownerUrl),
      serviceUrl: urlFor(inject('template').serviceUrl),
    };
    await prepareDatabase(addresses);
    const previous = await import(path.join(checkOutPrevious(commit), 'src/launcher/postgres/migrate-database.mjs'));
    expect(await previous.migrateDatabase(addresses)).toBe(true);

    const owner = new pg.Client({ connectionString: addresses.ownerUrl });
    await owner.connect();
    onTestFinished(() => owner.end());
    const tables = (await readTables(owner, ['graphile_worker'])).filter((table) => !table.name.startsWith('_'));
    await owner.query('set session_replication_role = replica');
    const hasTenant = "select from pg_attribute where attrelid = $1::regclass and attname = 'tenant_id'";
    for (const table of tables)
      if (table.name === 'tenants' || (await owner.query(hasTenant, [table.name])).rowCount)
        for (let row = 0; row < 3; row++) await owner.query(await insertOf(owner, table, randomUUID()));
    // Without the columns that the migration adds.
    const { rows: columns } =
      await owner.query(`select attrelid::regclass::text as name, string_agg(quote_ident(attname), ', ') as present
      from pg_attribute where attnum > 0 and not attisdropped group by attrelid`);
    const present = new Map(columns.map((table) => [table.name, table.present]));
    const readRows = async () => {
      const rows: Record<string, unknown[]> = {};
      for (const { name } of tables)
        rows[name] = (
          await owner.query(
            `select xmin, ctid, tableoid, row(${present.get(name)})::text from "${name}" order by tableoid, ctid`,
          )
        ).rows;
      return rows;
    };
    const before = await readRows();
    expect(Object.values(before).flat().length).toBeGreaterThan(150);

    expect(await isMigrated(addresses.serviceUrl)).toBe(false);
    expect(await migrateDatabase(addresses)).toBe(true);
    expect(await readRows()).toEqual(before);
    expect(await migrateDatabase(addresses)).toBe(false);
    const opened = openDatabase({ url: addresses.serviceUrl, poolSize: 2 });
    await opened.assertConfined();
    await opened.close();
  },
);
