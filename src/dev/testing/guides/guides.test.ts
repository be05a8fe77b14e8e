import { describe, expect, test } from 'vitest';
import { ERRORS } from '#contract/errors.ts';
import { ROUTES } from '#contract/routes.ts';
import { PLACEHOLDERS, placeholdersIn, readGuides } from './read-guides.ts';

const guides = readGuides();
const slugs = guides.map(({ slug }) => slug);
test('every guide exists and has a position in the list', () => {
  const orders = guides.map(({ front }) => Number(front.order));
  expect(orders.every((order) => order > 0)).toBe(true);
  expect(slugs).toEqual(
    expect.arrayContaining([
      ...['first-call', 'sign-in-by-phone', 'sign-in-by-password', 'impersonation', 'booking', 'webhooks', 'testing'],
      ...['going-live', 'errors-and-retries', 'health-data'],
    ]),
  );
});

test('each app file is in one guide only', () => {
  const files = guides.flatMap(({ fences }) => fences.flatMap(({ file }) => (file ? [file] : [])));
  expect(files.filter((file, at) => files.indexOf(file) !== at)).toEqual([]);
});

describe.each(guides)('$slug', ({ front, text, fences }) => {
  test('has a title that is its heading, and a one-sentence description', () => {
    expect(front.title).toMatch(/^[A-Z]/);
    expect(front.description).toMatch(/\.$/);
    const [, heading] = /^\n# (.+)\n/.exec(text) ?? [];
    expect(heading).toBe(front.title);
  });

  test('uses only placeholders that a reader has values for', () => {
    expect(placeholdersIn(text).filter((name) => !(PLACEHOLDERS as readonly string[]).includes(name))).toEqual([]);
  });

  test('names the language of each code block, and its JSON parses', () => {
    for (const { language, code } of fences) {
      expect(['css', 'html', 'json', 'sh', 'ts', 'tsx', 'js', 'python']).toContain(language);
      if (language === 'json') expect(() => JSON.parse(code)).not.toThrow();
    }
  });

  test('sets each shell variable before it uses it', () => {
    const set = new Set<string>();
    for (const { language, code } of fences) {
      for (const [, name] of code.matchAll(/([A-Z][A-Z_]*)=/g)) set.add(name!);
      const used = language === 'sh' ? [...code.matchAll(/\$\{?([A-Z_]+)/g)].map(([, name]) => name!) : [];
      expect(used.filter((name) => !set.has(name))).toEqual([]);
    }
  });

  test('runs no program of a package that is not installed', () => {
    for (const { code } of fences) expect(code).not.toMatch(/^npx carelane/m);
  });

  test('names errors and endpoints that exist', () => {
    const rows = [...text.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].map(([, names]) => names!);
    expect(rows).toBeDefined();
    const calls = [...text.matchAll(/`(GET|POST|PATCH|DELETE|PUT) (\/[\w/{}]+)`/g)].map(
      ([, method, path]) => `${method} ${path}`,
    );
    const known = ROUTES.map(({ method, path }) => `${method} ${path}`);
    const others = ['POST /_emulator/trigger'];
    expect(calls.filter((call) => !known.includes(call) && !others.includes(call))).toEqual([]);
  });
});

test('every error code in the guides’ tables is ours or a known OAuth code', () => {
  const elsewhere = new Set(['invalid_grant', 'unauthorized_client']);
  const errors = guides.find(({ slug }) => slug === 'errors-and-retries')!;
  const named = [...errors.text.matchAll(/^\| [\d, ]+ \| ([^|]+) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)`/g)].map(([, code]) => code!),
  );
  expect(named.length).toBeGreaterThan(25);
  expect(named.filter((code) => !(code in ERRORS) && !elsewhere.has(code))).toEqual([]);
});
