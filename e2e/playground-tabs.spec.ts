import type { BrowserContext, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { expectSignedIn, openPlayground, openTab, signUpByPhone } from './playground.ts';

const TABS = 10;

/** Tabs of one browser, all with the signed-in patient. */
async function openTabs(context: BrowserContext, count: number): Promise<Page[]> {
  const pages = await Promise.all(Array.from({ length: count }, () => context.newPage()));
  for (const page of pages) {
    await page.goto('/playground');
    await expectSignedIn(page);
  }
  return pages;
}

/** Moves the stored expiry of the access token to a few seconds from now. */
const ageToken = (page: Page) =>
  page.evaluate(() => {
    const key = Object.keys(localStorage).find(
      (name) => name.startsWith('carelane.session.') && (localStorage.getItem(name) ?? '').includes('accessExpiresAt'),
    );
    const session = JSON.parse(localStorage.getItem(key ?? '') ?? '{}');
    localStorage.setItem(key!, JSON.stringify({ ...session, accessExpiresAt: Date.now() + 5000 }));
  });

/** Counts the browser's requests to the token endpoint. */
function countRefreshes(context: BrowserContext): () => number {
  let count = 0;
  context.on('request', (request) => {
    if (request.url().endsWith('/identity/oauth2/token')) count++;
  });
  return () => count;
}

/** All tabs call the API at once, with a token that is about to expire, and once more with the new one. */
async function refreshAtOnce(pages: Page[]): Promise<void> {
  await ageToken(pages[0]!);
  await Promise.all(pages.map((page) => openTab(page, 'Appointments')));
  for (const page of pages) await expect(page.getByText('No upcoming appointments')).toBeVisible();
  for (const page of pages) {
    await openTab(page, 'Profile');
    await expectSignedIn(page);
  }
}

test('signing out in one tab signs out the other, and signing in signs it in', async ({ page, context, api }) => {
  const other = await context.newPage();
  await openPlayground(other);
  await signUpByPhone(page, api);
  await expectSignedIn(other);
  await page.getByRole('button', { name: 'Sign out' }).click();
  for (const tab of [page, other]) {
    await expect(tab.getByText('You are signed out.')).toBeVisible();
    await expect(tab.getByLabel('Mobile number')).toBeVisible();
  }
});

test('ten tabs whose token expires at once make one refresh, and all stay signed in', { tag: '@prove' }, async ({
  page,
  context,
  api,
}) => {
  test.slow();
  await signUpByPhone(page, api);
  const pages = [page, ...(await openTabs(context, TABS - 1))];
  const refreshes = countRefreshes(context);
  await refreshAtOnce(pages);
  expect(refreshes()).toBe(1);
});

test('ten tabs stay signed in where the browser has no locks', { tag: '@prove' }, async ({ page, context, api }) => {
  test.slow();
  await context.addInitScript(() => Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined }));
  await signUpByPhone(page, api);
  const pages = [page, ...(await openTabs(context, TABS - 1))];
  expect(await page.evaluate(() => navigator.locks)).toBeUndefined();
  const refreshes = countRefreshes(context);
  await refreshAtOnce(pages);
  expect(refreshes()).toBeGreaterThanOrEqual(1);
  expect(refreshes()).toBeLessThanOrEqual(TABS);
});

test('a session that staff end is noticed at the next call', async ({ page, visitor, signIn, api, watch }) => {
  watch.allow(/401/);
  watch.allow(/400/);
  const id = await signUpByPhone(visitor, api);
  await signIn('admin');
  await page.goto(`/patients/${id}`);
  const device = page.getByRole('list', { name: 'Signed in now' }).getByRole('listitem').first();
  await device.getByRole('button', { name: /^Sign out / }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page.getByRole('alertdialog')).toBeHidden();
  await expect(async () => {
    await openTab(visitor, 'Appointments');
    await expect(visitor.getByText('You are signed out.')).toBeVisible({ timeout: 10_000 });
  }).toPass();
});
