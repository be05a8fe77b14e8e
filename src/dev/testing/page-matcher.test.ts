import { expect, test } from 'vitest';
import { config } from '../../proxy.ts';

const isPage = (path: string) => config.matcher.some((pattern) => new RegExp(`^${pattern}$`).test(path));

test('matches every page, for any path that a visitor sends', () => {
  for (const path of ['/', '/sign-in', '/checkout', '/visit/token', '/visit/a.b', '/patients/x.js', '/icon.svg/x'])
    expect(isPage(path), path).toBe(true);
});

test('does not match API routes and files', () => {
  for (const path of ['/api/v1/patients', '/identity/jwks.json', '/_next/static/a.js', '/icon.svg'])
    expect(isPage(path), path).toBe(false);
});
