import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
const quoted = [...readme.matchAll(/`([^`\n]+)`|\]\(([^)#:]+)\)/g)].map(([, code, link]) => code ?? link!);

const PLACES = /^(src|e2e|prisma|public)\//;
const FILE = /^[\w./*-]+\.(ts|tsx|mjs|md|prisma)$/;

const files = ['src', 'e2e', 'prisma'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
);

it('names no place that is not there', () => {
  const places = quoted.filter((text) => PLACES.test(text) && !/[<*{]/.test(text));
  expect(places.length).toBeGreaterThan(20);
  expect(places.filter((place) => !existsSync(path.join(root, place)))).toEqual([]);
});

it('names no file that is not there, by its name or the end of its path', () => {
  const names = quoted.filter((text) => FILE.test(text) && !PLACES.test(text) && !text.includes('*'));
  expect(names.length).toBeGreaterThan(10);
  const isThere = (name: string) =>
    existsSync(path.join(root, name)) || files.some((file) => file.endsWith(`/${name}`));
  expect(names.filter((name) => !isThere(name))).toEqual([]);
});

it('draws a map of places that are there', () => {
  const drawn = [...readme.matchAll(/^((?:src|e2e|prisma)\/[\w./-]*) {2,}/gm)].map(([, place]) => place!);
  expect(drawn.length).toBeGreaterThan(10);
  expect(drawn.filter((place) => !existsSync(path.join(root, place)))).toEqual([]);
});
