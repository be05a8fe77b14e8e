import type { Page } from '@playwright/test';
import { readPackages, readTexts } from '../src/app/docs/read-sources.ts';
import { EXAMPLE } from '../src/contract/examples.ts';
import { expectAccessible } from './accessible.ts';
import { requestApi } from './api.ts';
import { readCard } from './card.ts';
import { expect, openListening, test } from './fixtures.ts';
import { layoutProblems, resizeTo } from './page-problems.ts';
import { focused, hidden, press } from './press.ts';
import { proveUnless } from './prove.ts';

test.describe.configure({ mode: 'parallel' });

const RESOURCES = ['patients', 'subscriptions', 'cards', 'scheduling', 'tasks', 'events', 'webhooks', 'integrations'];
const PATHS = [
  ...[...readTexts(), ...readPackages()].map(({ slug }) => (slug === 'start' ? '/docs' : `/docs/${slug}`)),
  ...RESOURCES.map((name) => `/docs/api/${name}`),
  '/docs/decisions',
];
/** Pages that the gate checks: a guide's start, a guide with code, a reference page. */
const IN_GATE = ['/docs', '/docs/first-call', '/docs/api/events'];
const WIDTHS = process.env.PROVE ? [1440, 1280, 1024, 390] : [1440, 390];
/** One combination; with `PROVE=1` each theme on each of the three screens. */
const SCREENS: [width: number, colorScheme: 'light' | 'dark'][] = process.env.PROVE
  ? [1440, 1024, 390].flatMap((width) => [[width, 'light'] as [number, 'light'], [width, 'dark'] as [number, 'dark']])
  : [[1440, 'light']];

/** Code that is wider or higher than its visible part. */
const clippedCode = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('pre:not([data-drawn]), :not([data-drawn]) > code')]
      .filter((code) => code.checkVisibility() && getComputedStyle(code).display !== 'inline')
      .filter((code) => code.scrollWidth > code.clientWidth + 1 || code.scrollHeight > code.clientHeight + 1)
      .map((code) => code.getAttribute('aria-label') ?? code.textContent?.slice(0, 40)),
  );

test('the sitemap lists exactly the pages', async ({ request }) => {
  const sitemap = await (await request.get('/sitemap.xml')).text();
  const listed = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => new URL(url!).pathname);
  expect(listed.sort()).toEqual([...PATHS].sort());
});

for (const path of PATHS)
  test(
    `${path} is accessible, fits wide and narrow screens, and clips no code`,
    proveUnless(IN_GATE.includes(path)),
    async ({ page }) => {
      test.slow();
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
      await expect(page).toHaveTitle(/\S · Carelane$/);
      await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true;
      });
      for (const [width, colorScheme] of SCREENS) {
        await resizeTo(page, width, 800);
        await page.emulateMedia({ colorScheme });
        await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
        await expectAccessible(page);
      }
      const problems: unknown[] = [];
      for (const width of WIDTHS) {
        await resizeTo(page, width);
        for (const problem of [...(await layoutProblems(page)), ...(await clippedCode(page))])
          problems.push(`${width}: ${problem}`);
      }
      expect(problems).toEqual([]);
      const text = await page.request.get(`${path}.md`);
      expect(text.headers()['content-type']).toContain('text/markdown');
      expect(await text.text()).toMatch(/^# \S/);
    },
  );

test('keyboard search finds a call by its description, an object by a field, and an error by its code', {
  tag: '@prove',
}, async ({ page }) => {
  await openListening(page, '/docs');
  const search = async (keys: string, query: string, option: RegExp) => {
    await press(page, keys, focused(page.getByRole('combobox')));
    await page.keyboard.type(query);
    await expect(page.getByRole('option', { name: option, selected: true })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog')).toBeHidden();
  };
  await search('ControlOrMeta+k', 'book slot', /Book an offered slot.*POST \/appointments/);
  await expect(page).toHaveURL(/\/docs\/api\/scheduling#appointments-book$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Scheduling' })).toBeVisible();
  await search('/', 'slot_taken', /slot_taken/);
  await expect(page).toHaveURL(/\/docs\/conventions#slot_taken$/);
  await press(page, 'ControlOrMeta+k', focused(page.getByRole('combobox')));
  await page.keyboard.type('a word that is missing: xylophone');
  await expect(page.getByText('Nothing found')).toBeVisible();
  await page.getByRole('combobox').fill('verifyWebhook');
  await expect(page.getByRole('option', { name: /Webhooks/ }).first()).toBeVisible();
  await page.getByRole('combobox').fill('birth_date');
  await expect(page.getByRole('option', { name: /^Patient Patients/ })).toBeVisible();
  await expectAccessible(page);
  await press(page, 'Escape', hidden(page.getByRole('dialog')));
});

test('a language is chosen once for all samples and all pages, also after a reload', { tag: '@prove' }, async ({
  page,
}) => {
  await openListening(page, '/docs/api/patients');
  const languages = page.getByRole('group', { name: 'Language: GET /patients/{id}', exact: true });
  await expect(languages.getByRole('button', { name: 'curl' })).toHaveAttribute('aria-pressed', 'true');
  await languages.getByRole('button', { name: 'Python' }).click();
  await expect(page.getByRole('group', { name: 'Python: GET /patients/{id}', exact: true })).toContainText(
    'requests.get(',
  );
  await expect(page.getByRole('group', { name: 'Python: PATCH /patients/{id}', exact: true })).toContainText(
    'requests.patch(',
  );
  await page.goto('/docs/api/scheduling');
  await expect(page.getByRole('group', { name: /^Python: POST \/appointments$/ })).toContainText('requests.post(');
  await page.reload();
  await expect(page.getByRole('group', { name: /^curl: POST \/appointments$/ })).toHaveCount(0);
});

test('a user who is signed in to a sandbox’s portal can insert a token and own ids into samples, and others cannot', {
  tag: '@prove',
}, async ({ page, visitor, signIn, api }) => {
  await api.createPatient();
  await visitor.goto('/docs/api/patients');
  const sample = (target: Page) => target.getByRole('group', { name: 'curl: GET /patients/{id}', exact: true });
  await expect(sample(visitor)).toContainText(EXAMPLE.patientId);
  await expect(visitor.locator('body')).not.toContainText(readCard().client_id);

  const signInLink = (target: Page) => target.getByRole('link', { name: 'Sign in to the portal' });
  await expect(signInLink(visitor)).toHaveAttribute(
    'href',
    `/sign-in?callbackUrl=${encodeURIComponent('/docs/api/patients')}`,
  );
  await visitor.goto('/docs/first-call');
  await expect(signInLink(visitor)).toBeVisible();

  await signIn('admin');
  await openListening(page, '/docs/api/patients');
  await expect(signInLink(page)).toHaveCount(0);
  await expect(sample(page), 'an open page has read no patient').toContainText(EXAMPLE.patientId);
  await expect(page.getByRole('group', { name: 'curl: before the first call' })).not.toContainText('your-client-id');
  await expect(page.locator('body')).not.toContainText(readCard().client_secret);
  await page.getByRole('button', { name: 'Get a token and ids of your sandbox' }).click();
  const tokenSample = page.getByRole('group', { name: /^Token, good for 60 minutes/ });
  const token = (await tokenSample.textContent())!.trim().replace('export TOKEN=', '');
  await expect(sample(page)).not.toContainText(EXAMPLE.patientId);
  const [id] = /[0-9a-f-]{36}/.exec((await sample(page).textContent()) ?? '') ?? [''];
  expect((await requestApi(token, `/patients/${id}`)).status).toBe(200);
  await expectAccessible(page);
  await page.locator('nav a[href="/docs/api/webhooks"]').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Webhooks' })).toBeVisible();
  await expect(tokenSample, 'it stays from page to page').toContainText(token);
  await expect(visitor.getByRole('button', { name: /^Get a token/ })).toHaveCount(0);
});

test('links into the former single page of docs lead to the current pages', { tag: '@prove' }, async ({ page }) => {
  for (const [anchor, path] of [
    ['patients-create', '/docs/api/patients#patients-create'],
    ['model-appointment', '/docs/api/scheduling#model-appointment'],
    ['error-not_found', '/docs/conventions#not_found'],
    ['idempotency', '/docs/conventions#retrying-safely'],
    ['webhooks', '/docs/api/webhooks'],
  ]) {
    await page.goto('about:blank');
    await page.goto(`/docs#${anchor}`);
    await expect(page).toHaveURL(new RegExp(`${path}$`));
  }
});

test('search engines may read the docs and nothing else', async ({ page, request }) => {
  const robots = page.locator('meta[name=robots]');
  await page.goto('/docs/testing');
  await expect(robots).toHaveAttribute('content', 'index, follow');
  await page.goto('/sign-in');
  await expect(robots).toHaveAttribute('content', 'noindex, nofollow');
  const text = await (await request.get('/robots.txt')).text();
  expect(text).toContain(`Sitemap: ${new URL('/sitemap.xml', page.url())}`);
});

test('an unknown page is reported as such, as a page and as text', { tag: '@prove' }, async ({ page, watch }) => {
  watch.allow(/404/);
  expect((await page.goto('/docs/nothing'))?.status()).toBe(404);
  expect((await page.request.get('/docs/nothing.md')).status()).toBe(404);
});
