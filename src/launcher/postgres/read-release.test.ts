import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRelease } from './read-release.mjs';

const names = readdirSync('prisma/sql')
  .filter((name) => name.endsWith('.sql'))
  .map((name) => name.slice(0, -4));

test('every file of prisma/sql is applied once', () => {
  const applied = readRelease().objects.map(({ name }) => name);
  expect(applied.filter((name) => !name.startsWith('drop ')).sort()).toEqual(names.sort());
});

/** Users that are no files; a remark in brackets follows a file that does not contain the object's name. */
const USES = /^the triggers? below$|^functions of the owner in this folder$/;

test.each(names)('%s names its users', (name) => {
  const [, users = ''] = /^-- Used by: (.+)$/m.exec(readFileSync(`prisma/sql/${name}.sql`, 'utf8')) ?? [];
  const wrong = users.split(', ').filter((user) => {
    const [, place = '', remark] = /^(\S+)( \(.+\))?$/.exec(user) ?? [];
    const file = place.includes('/') ? place : `prisma/sql/${place}.sql`;
    return !USES.test(user) && !(existsSync(file) && (remark || readFileSync(file, 'utf8').includes(name)));
  });
  expect(wrong).toEqual([]);
});
