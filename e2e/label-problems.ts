import type { Response } from '@playwright/test';
import { isCallPage } from '#server/http/page-policy.ts';

/** Faults of a response's headers. */
export function labelProblems(response: Response): string[] {
  const headers = response.headers();
  const { pathname } = new URL(response.url());
  // Static files are the same for every user.
  const isFile =
    pathname.startsWith('/_next/static/') || pathname === '/icon.svg' || pathname.startsWith('/api/logos/');
  const wanted: [name: string, value: RegExp][] = [
    ['x-content-type-options', /^nosniff$/],
    ['x-frame-options', /^DENY$/],
    ['referrer-policy', isCallPage(pathname) ? /^no-referrer$/ : /^strict-origin-when-cross-origin$/],
    ['permissions-policy', isCallPage(pathname) ? /^camera=\(self\)/ : /^camera=\(\)/],
    ['content-security-policy', /frame-ancestors 'none'/],
    ['cache-control', isFile ? /\S/ : /no-store/],
  ];
  const wrong = wanted.filter(([name, value]) => !value.test(headers[name] ?? ''));
  return wrong.map(([name]) => `${response.request().method()} ${pathname}: ${name}: ${headers[name]}`);
}
