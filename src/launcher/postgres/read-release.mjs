import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../root.mjs';

/** @typedef {{ name: string, sql: string, checksum: string }} SqlFile */

const PRISMA = path.join(root, 'prisma');
const read = (...names) => readFileSync(path.join(PRISMA, ...names), 'utf8');
const fileOf = (name, sql) => ({ name, sql, checksum: createHash('sha256').update(sql).digest('hex') });

/**
 * Reads the database objects of this release: migrations by time, then functions, triggers and policies in the order of
 * `prisma/sql/objects.json`, and last the dropped objects.
 *
 * @returns {{ migrations: SqlFile[], objects: SqlFile[], baseline: { initial: string, replaces: Record<string, string>
 * } }}
 */
export function readRelease() {
  const names = readdirSync(path.join(PRISMA, 'migrations'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  const { objects, dropped } = JSON.parse(read('sql', 'objects.json'));
  return {
    migrations: names.map((name) => fileOf(name, read('migrations', name, 'migration.sql'))),
    objects: [
      ...objects.map((name) => fileOf(name, read('sql', `${name}.sql`))),
      ...dropped.map((object) => fileOf(`drop ${object}`, `DROP ${object.replace(' ', ' IF EXISTS ')}`)),
    ],
    baseline: JSON.parse(read('baseline.json')),
  };
}
