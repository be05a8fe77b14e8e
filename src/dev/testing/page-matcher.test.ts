import { expect, test } from 'vitest';
import { config } from '../../proxy.ts';

const isPage = (path: string) => config.matcher.some((pattern) => new RegExp(`^${pattern}$`).test(path));

test('every page gets its policy, whatever a visitor writes into the path', () => {
  for (const path of ['/', '/sign-in', '/checkout', '/visit/token', '/visit/a.b', '/patients/x.js', '/icon.svg/x'])
    expect(isPage(path), path).toBe(true);
});

test('doors and files get none', () => {
  for (const path of ['/api/v1/patients', '/identity/jwks.json', '/_next/static/a.js', '/icon.svg'])
    expect(isPage(path), path).toBe(false);
});
