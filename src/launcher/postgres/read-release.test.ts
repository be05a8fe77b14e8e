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
const OTHER_USERS = /^the triggers? below$|^functions of the owner in this folder$/;

test.each(names)('%s names its users', (name) => {
  const [, users = ''] = /^-- Used by: (.+)$/m.exec(readFileSync(`prisma/sql/${name}.sql`, 'utf8')) ?? [];
  const invalid = users.split(', ').filter((user) => {
    const [, target = '', remark] = /^(\S+)( \(.+\))?$/.exec(user) ?? [];
    const file = target.includes('/') ? target : `prisma/sql/${target}.sql`;
    return !OTHER_USERS.test(user) && !(existsSync(file) && (remark || readFileSync(file, 'utf8').includes(name)));
  });
  expect(invalid).toEqual([]);
});
