import { expect, test } from './fixtures.ts';

// `watch` checks the headers of every response that a page requests, in any test.
test('a response without the default headers is reported', async ({ page, watch }) => {
  await page.route('**/sign-in', async (route) => {
    const response = await route.fetch();
    const { 'x-content-type-options': _, ...headers } = response.headers();
    await route.fulfill({ response, headers: { ...headers, 'cache-control': 'public' } });
  });
  watch.allow(/^header: GET \/sign-in: x-content-type-options: undefined$/);
  watch.allow(/^header: GET \/sign-in: cache-control: public$/);
  await page.goto('/sign-in');
});

test('responses that no browser requests have the default headers as well', async ({ request }) => {
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
    const response = await request.get(path, { maxRedirects: 0 });
    expect([path, response.status() < 500]).toEqual([path, true]);
    const headers = response.headers();
    expect([path, headers['x-content-type-options'], headers['x-frame-options']]).toEqual([path, 'nosniff', 'DENY']);
    expect([path, headers['content-security-policy']]).toEqual([
      path,
      expect.stringContaining("frame-ancestors 'none'"),
    ]);
    expect([path, headers['cache-control']]).toEqual([path, expect.stringMatching(/\S/)]);
  }
});
