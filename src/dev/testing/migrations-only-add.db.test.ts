import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts';

/**
 * During an update, processes of the previous commit run on the new schema: the columns that they read must exist, and
 * their writes must be accepted. Exceptions are listed as `migration: incompatibility`, with the reason why they do no
 * harm.
 */
const NO_HARM: Record<string, string> = {
  '20261127000000_roles: staff_users has the new staff_users_role': 'it allows more roles than before',
  '20261128000000_merged_patients: patients has the new patients_tenant_id_merged_into_fkey':
    'it concerns a new column, which is null unless this release sets it',
};

const MIGRATIONS = path.resolve(import.meta.dirname, '../../../prisma/migrations');
const names = readdirSync(MIGRATIONS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();
const sqlOf = (name: string) => readFileSync(path.join(MIGRATIONS, name, 'migration.sql'), 'utf8');

type Columns = Map<string, { type: string; required: boolean; hasDefault: boolean }>;
/** Each table's columns, constraints, unique indexes, triggers and policies. */
type Schema = Map<string, { columns: Columns; demands: Map<string, string> }>;

async function readSchema(client: pg.Client): Promise<Schema> {
  const { rows: columns } = await client.query(`
    select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      a.attnotnull as required, a.atthasdef or a.attidentity <> '' as "hasDefault"
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped`);
  const { rows: demands } = await client.query(`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as words
    from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'
    union all
    select indrelid::regclass::text, indexrelid::regclass::text, pg_get_indexdef(indexrelid)
    from pg_index join pg_class c on c.oid = indexrelid where indisunique and c.relnamespace = 'public'::regnamespace
    union all
    select tgrelid::regclass::text, tgname, pg_get_triggerdef(t.oid)
    from pg_trigger t join pg_class c on c.oid = tgrelid where not tgisinternal and c.relnamespace = 'public'::regnamespace
    union all
    select polrelid::regclass::text, polname, concat(polcmd, pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
    from pg_policy`);
  const schema: Schema = new Map();
  for (const { table, name, type, required, hasDefault } of columns) {
    if (!schema.has(table)) schema.set(table, { columns: new Map(), demands: new Map() });
    schema.get(table)!.columns.set(name, { type, required, hasDefault });
  }
  for (const { table, name, words } of demands) schema.get(table.replaceAll('"', ''))?.demands.set(name, words);
  return schema;
}

/** Returns what the later schema removed, or newly requires. */
function harms(before: Schema, after: Schema): string[] {
  const violations: string[] = [];
  for (const [table, { columns, demands }] of before) {
    const now = after.get(table);
    if (!now) {
      violations.push(`${table} is gone`);
      continue;
    }
    for (const [name, { type, required, hasDefault }] of columns) {
      const column = now.columns.get(name);
      if (!column) violations.push(`${table}.${name} is gone`);
      else if (column.type !== type) violations.push(`${table}.${name} is another type`);
      else if (column.required && !required) violations.push(`${table}.${name} must not be empty any more`);
      else if (hasDefault && !column.hasDefault) violations.push(`${table}.${name} has lost its default`);
    }
    for (const [name, { required, hasDefault }] of now.columns)
      if (!columns.has(name) && required && !hasDefault) violations.push(`${table}.${name} is new and demanded`);
    for (const [name, words] of now.demands)
      if (demands.get(name) !== words) violations.push(`${table} has the new ${name}`);
  }
  return violations;
}

/** Returns true for statements that delete rows; function bodies are ignored, because they run later. */
const takesRowsAway = (sql: string): boolean =>
  sql
    .replace(/--.*$/gm, '')
    .replace(/(\$\w*\$)[\s\S]*?\1/g, '')
    .split(';')
    .some((statement) => /\bdelete\s+from\b|^\s*truncate\b/i.test(statement));

let postgres: OwnPostgres;
let client: pg.Client;
beforeAll(async () => {
  postgres = await startOwnPostgres({ migrated: false });
  client = new pg.Client({ connectionString: postgres.ownerUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await postgres.stop();
});

test('every migration is compatible with the previous commit, or is listed with a reason', async () => {
  const violations: string[] = [];
  let before = await readSchema(client);
  for (const name of names) {
    await client.query(sqlOf(name));
    const after = await readSchema(client);
    violations.push(...harms(before, after).map((harm) => `${name}: ${harm}`));
    if (takesRowsAway(sqlOf(name))) violations.push(`${name}: takes rows away`);
    before = after;
  }
  expect(violations.sort()).toEqual(Object.keys(NO_HARM).sort());
});

describe('the compatibility check', () => {
  test.each([
    ['drop table checkout_links', 'checkout_links is gone'],
    ['alter table patients rename to people', 'patients is gone'],
    ['alter table patients drop column metadata', 'patients.metadata is gone'],
    ['alter table patients rename column email to mail', 'patients.email is gone'],
    ['alter table patients alter column email type varchar(10)', 'patients.email is another type'],
    ['alter table patients alter column email set not null', 'patients.email must not be empty any more'],
    ['alter table patients add column shoe int not null', 'patients.shoe is new and demanded'],
    ['alter table patients alter column status drop default', 'patients.status has lost its default'],
    ["alter table patients add constraint young check (birth_date > '1900-01-01')", 'patients has the new young'],
    ['create unique index one_name on patients (first_name)', 'patients has the new one_name'],
  ])('detects: %s', async (statement, harm) => {
    await client.query('begin');
    const before = await readSchema(client);
    await client.query(statement);
    expect(harms(before, await readSchema(client))).toContain(harm);
    await client.query('rollback');
  });

  test('detects deleted rows, but not in a comment or a function', () => {
    expect(takesRowsAway('Delete  from patients;')).toBe(true);
    expect(takesRowsAway('TRUNCATE patients')).toBe(true);
    expect(takesRowsAway('-- delete from patients')).toBe(false);
    expect(takesRowsAway('create function f() as $$ delete from patients $$')).toBe(false);
    expect(takesRowsAway('alter table a add constraint b foreign key (c) references d on delete cascade')).toBe(false);
  });

  test('accepts additive changes', async () => {
    await client.query('begin');
    const before = await readSchema(client);
    await client.query('alter table patients add column shoe int, add column hat int not null default 1');
    await client.query('create table diary (id int primary key, words text not null)');
    await client.query('alter table patients alter column email drop not null');
    await client.query('create index on patients (first_name)');
    expect(harms(before, await readSchema(client))).toEqual([]);
    await client.query('rollback');
  });
});
