import type { Browser, Page } from '@playwright/test';
import { randomSuffix, requestToken, tokenOf } from './api.ts';
import { readCard } from './card.ts';
import { expect, test } from './fixtures.ts';
import { hidden, press } from './press.ts';

const PAGE = Buffer.from('<!doctype html><title>App</title><h1>A patient’s app</h1>').toString('base64');

/**
 * A page of a website that does not exist: the browser's debugger provides its content. Playwright's own routes would
 * also respond to preflights, which this file tests.
 */
async function openWebsite(browser: Browser, origin: string): Promise<Page> {
  // A public website reaches this machine only with the user's permission.
  const context = await browser.newContext({ permissions: ['local-network-access'] });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  devtools.on('Fetch.requestPaused', ({ requestId }) =>
    devtools.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: 200,
      responseHeaders: [{ name: 'content-type', value: 'text/html; charset=utf-8' }],
      body: PAGE,
    }),
  );
  await devtools.send('Fetch.enable', { patterns: [{ urlPattern: `${origin}/*` }] });
  await page.goto(`${origin}/`);
  await expect(page.getByRole('heading')).toHaveText('A patient’s app');
  return page;
}

/** Result of a script's request: a status that it could read, or the browser's error. */
const callFrom = (page: Page, url: string, init: RequestInit): Promise<number | string> =>
  page.evaluate(([address, options]) => fetch(address, options).then(({ status }) => status, String), [
    url,
    init,
  ] as const);

const BLOCKED_ERROR = 'TypeError: Failed to fetch';

test('a listed website calls the API from a browser, and other or removed websites are blocked', async ({
  page,
  browser,
  signIn,
}) => {
  const { base_url, auth_url, client_id, client_secret } = readCard();
  const token = await tokenOf(await requestToken(client_id, client_secret));
  const listed = `https://app-${randomSuffix()}.example.test`;
  const app = await openWebsite(browser, listed);
  const otherOrigin = await openWebsite(browser, `${listed}.evil.test`);
  const read = (from: Page) =>
    callFrom(from, `${base_url}/patients?size=1`, { headers: { authorization: `Bearer ${token}` } });
  // A form post needs no preflight.
  const refresh = (from: Page) =>
    callFrom(from, auth_url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `grant_type=refresh_token&refresh_token=none&client_id=none`,
    });
  expect(await read(app)).toBe(BLOCKED_ERROR);
  expect(await callFrom(app, auth_url.replace('oauth2/token', 'jwks.json'), {})).toBe(200);

  await signIn('admin');
  await page.goto('/settings/credentials');
  const card = page.getByRole('region', { name: 'Allowed origins' });
  await card.getByRole('textbox', { name: 'Website' }).fill(`${listed}/`);
  await card.getByRole('button', { name: 'Add' }).click();
  await expect(card.getByRole('listitem').filter({ hasText: listed })).toBeVisible();
  await expect(card.getByRole('textbox', { name: 'Website' })).toHaveValue('');

  await expect.poll(() => read(app)).toBe(200);
  expect(await refresh(app)).toBe(401);
  expect(await read(otherOrigin)).toBe(BLOCKED_ERROR);
  expect(await refresh(otherOrigin)).toBe(BLOCKED_ERROR);

  await card.getByRole('button', { name: `Remove ${listed}` }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove website' }).click();
  await expect(card.getByText(listed)).toBeHidden();
  await expect.poll(() => read(app)).toBe(BLOCKED_ERROR);
  for (const website of [app, otherOrigin]) await website.context().close();
});

test('a value that is no website is rejected with a reason next to the field', { tag: '@prove' }, async ({
  page,
  signIn,
}) => {
  await signIn('admin');
  await page.goto('/settings/credentials');
  const card = page.getByRole('region', { name: 'Allowed origins' });
  const field = card.getByRole('textbox', { name: 'Website' });
  const invalid: [text: string, reason: string][] = [
    ['', 'Write the address of the website'],
    ['app.example.test', 'Write it whole, as in https://app.example.org'],
    ['http://app.example.test', 'Begin it with https://'],
    ['https://app.example.test/login', 'Leave out everything after the name and port, a slash too'],
    ['https://*.example.test', 'Write each address by itself, without *'],
  ];
  for (const [text, reason] of invalid) {
    await field.fill(text);
    await field.press('Enter');
    await expect(field).toHaveAccessibleDescription(new RegExp(reason.replace(/[*.]/g, '\\$&')));
    await expect(field).toBeFocused();
  }
});

test('a website is listed and removed by keyboard, and a failure is shown where it happened', {
  tag: '@prove',
}, async ({ page, signIn, watch }) => {
  await signIn('admin');
  await page.goto('/settings/credentials');
  const card = page.getByRole('region', { name: 'Allowed origins' });
  const field = card.getByRole('textbox', { name: 'Website' });
  const origin = `https://keys-${randomSuffix()}.example.test`;
  await field.focus();
  await page.keyboard.type(origin);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const remove = card.getByRole('button', { name: `Remove ${origin}` });
  await expect(remove).toBeVisible();
  await expect(field).toBeFocused();

  await remove.focus();
  await page.keyboard.press('Enter');
  const confirmation = page.getByRole('alertdialog', { name: `Remove ${origin}?` });
  await expect(confirmation.getByRole('button', { name: 'Keep it' })).toBeFocused();
  await press(page, 'Escape', hidden(confirmation));
  await expect(remove).toBeFocused();

  watch.allow(/net::ERR_FAILED/);
  await page.route('**/api/trpc/applications.setAllowedOrigins**', (route) => route.abort('failed'), { times: 1 });
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(confirmation.getByRole('alert')).toHaveText(/did not answer/);
  await expect(confirmation.getByRole('button', { name: 'Remove website' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(confirmation).toBeHidden();
  await expect(remove).toBeHidden();
  await expect(page.getByRole('main')).toBeFocused();
});
