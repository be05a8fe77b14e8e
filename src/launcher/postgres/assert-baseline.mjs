import { UserError } from '../user-error.mjs';
import { readCatalogue } from './read-catalogue.mjs';

const SHOWN = 10;

/**
 * Checks that a database from the migrations before the initial one equals the result of the initial one: the same
 * migrations, and the same tables, which are created in a temporary schema for the comparison. It reads no rows and
 * leaves nothing behind.
 *
 * @param {import('pg').Client} client in a transaction
 * @param {Map<string, string>} applied checksums of migrations by name
 * @param {{ initial: string, replaces: Record<string, string> }} baseline
 * @param {import('./read-release.mjs').SqlFile[]} migrations
 * @throws {UserError} with the differences
 */
export async function assertBaseline(client, applied, { initial, replaces }, migrations) {
  const names = new Set([...applied.keys(), ...Object.keys(replaces)]);
  refuse(
    'Its migrations are not those that the initial migration of this release replaces',
    [...names].sort().flatMap((name) => {
      if (!applied.has(name)) return [`${name} is missing`];
      if (!(name in replaces)) return [`${name} is not known`];
      if (applied.get(name) === 'not finished') return [`${name} is not finished`];
      return applied.get(name) === replaces[name] ? [] : [`${name} was changed`];
    }),
  );
  const expected = await catalogueOf(client, migrations.find(({ name }) => name === initial).sql);
  const present = await readCatalogue(client, 'public');
  refuse('Its tables are not those of this release', [
    ...[...expected].filter((line) => !present.has(line)).map((line) => `missing: ${line}`),
    ...[...present].filter((line) => !expected.has(line)).map((line) => `not known: ${line}`),
  ]);
}

async function catalogueOf(client, sql) {
  const schema = 'carelane_expected';
  await client.query(`SAVEPOINT expected; CREATE SCHEMA ${schema}; SET LOCAL search_path = ${schema}, public`);
  await client.query(sql);
  const catalogue = await readCatalogue(client, schema);
  await client.query('ROLLBACK TO SAVEPOINT expected');
  return catalogue;
}

function refuse(what, differences) {
  if (differences.length === 0) return;
  const rest = differences.length - SHOWN;
  const lines = [...differences.slice(0, SHOWN), ...(rest > 0 ? [`and ${rest} more`] : [])];
  throw new UserError(
    `This database cannot be migrated, and nothing in it was changed. ${what}:\n${lines.map((line) => `  ${line}`).join('\n')}`,
  );
}
