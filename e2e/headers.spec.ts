import type { Response } from '@playwright/test';
import { nameOf } from './api.ts';
import { readCard } from './card.ts';
import { expect, test } from './fixtures.ts';
import { PORTAL_PAGES } from './portal-pages.ts';

const OPEN = [
  '/sign-in',
  '/forgot-password',
  '/join',
  '/reset-password',
  '/checkout',
  '/invitation',
  '/visit/nothing',
  '/docs',
  '/playground',
];

/** What is wrong with how an answer of ours is labelled. */
function faultsOf(response: Response): string[] {
  const headers = response.headers();
  const { pathname } = new URL(response.url());
  // What is built once is the same for everybody.
  const isFile =
    pathname.startsWith('/_next/static/') || pathname === '/icon.svg' || pathname.startsWith('/api/logos/');
  const wanted: [name: string, value: RegExp][] = [
    ['x-content-type-options', /^nosniff$/],
    ['x-frame-options', /^DENY$/],
    ['referrer-policy', /^strict-origin-when-cross-origin$/],
    ['permissions-policy', /^camera=\(self\)/],
    ['content-security-policy', /frame-ancestors 'none'/],
    ['cache-control', isFile ? /\S/ : /no-store/],
  ];
  const wrong = wanted.filter(([name, value]) => !value.test(headers[name] ?? ''));
  return wrong.map(([name]) => `${response.request().method()} ${pathname}: ${name}: ${headers[name]}`);
}

test('every answer that a page of the portal asks for is labelled, and kept only where nobody is in it', async ({
  page,
  signIn,
  api,
}) => {
  test.slow();
  const patient = await api.createPatient();
  await signIn('admin');
  const { origin } = new URL(readCard().portal_url);
  const faults = new Set<string>();
  const kinds = new Set<string>();
  page.on('response', (response) => {
    if (!response.url().startsWith(`${origin}/`)) return;
    kinds.add(response.request().resourceType());
    for (const fault of faultsOf(response)) faults.add(fault);
  });
  for (const path of PORTAL_PAGES) {
    await page.goto(path);
    await page.waitForLoadState('networkidle');
  }
  await page.goto(`/patients/${patient.id}`);
  await expect(page.getByRole('heading', { level: 1, name: nameOf(patient) })).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect([...faults]).toEqual([]);
  expect([...kinds]).toEqual(expect.arrayContaining(['document', 'script', 'stylesheet', 'font', 'fetch']));
});

test('every answer to a visitor is labelled, also what is not there', async ({ visitor, watch }) => {
  test.slow();
  watch.allow(/404/);
  const faults = new Set<string>();
  visitor.on('response', (response) => {
    if (!response.url().startsWith(new URL(readCard().portal_url).origin)) return;
    for (const fault of faultsOf(response)) faults.add(fault);
  });
  for (const path of [...OPEN, '/no-such-page']) {
    await visitor.goto(path);
    await visitor.waitForLoadState('networkidle');
  }
  expect([...faults]).toEqual([]);
});

test('what no browser asks for is labelled too', async ({ request }) => {
  for (const path of [
    '/patients',
    '/_next/image?url=%2Ficon.svg&w=64&q=75',
    '/_next/static/nothing.js',
    '/_next/data/nothing',
    '/api/nothing',
    '/api/auth/_log',
    '/screenshots/today.png',
    '/.env',
  ]) {
    const answer = await request.get(path, { maxRedirects: 0 });
    expect([path, answer.status() < 500]).toEqual([path, true]);
    const headers = answer.headers();
    expect([path, headers['x-content-type-options'], headers['x-frame-options']]).toEqual([path, 'nosniff', 'DENY']);
    expect([path, headers['content-security-policy']]).toEqual([
      path,
      expect.stringContaining("frame-ancestors 'none'"),
    ]);
    expect([path, headers['cache-control']]).toEqual([path, expect.stringMatching(/\S/)]);
  }
});
