import { randomSuffix } from './api.ts';
import { expect, test } from './fixtures.ts';
import { promised } from './prove.ts';

const SLOW_MS = 5000;
const AT_ONCE_MS = promised(300);

test('Back restores a list’s filter and scroll position, and Forward the page that was left', {
  tag: '@prove',
}, async ({ page, signIn, api }) => {
  for (let n = 0; n < 12; n += 1) await api.createPatient('Willow');
  await page.setViewportSize({ width: 1280, height: 400 });
  await signIn('practitioner');
  await page.goto('/patients');
  await page.getByRole('searchbox').fill('Willow');
  const links = page.getByRole('table', { name: 'Patients' }).getByRole('link', { name: /Willow/ });
  await expect(links.nth(10)).toBeAttached();
  await expect(page).toHaveURL(/search=Willow/);
  // Previous rows stay until the search responds; among them are these rows, in a longer page.
  const others = page.getByRole('table', { name: 'Patients' }).getByRole('link', { name: /^(?!.*Willow)/ });
  await expect(others).toHaveCount(0);
  await links.nth(10).scrollIntoViewIfNeeded();
  expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(100);
  // Position of the row in the window: content that is added above it scrolls the page and does not move the row.
  const rowTop = async () => (await links.nth(10).boundingBox())!.y;
  const before = await rowTop();
  await links.nth(10).click();
  const heading = page.getByRole('heading', { level: 1, name: /Willow/ });
  await heading.waitFor();
  await page.goBack();
  await expect(page.getByRole('searchbox')).toHaveValue('Willow');
  await expect(links.nth(10)).toBeVisible();
  await expect.poll(async () => Math.abs((await rowTop()) - before)).toBeLessThan(5);
  await page.goForward();
  await expect(heading).toBeVisible();
});

test('a slow response shows a loading state at once, and the page stays usable', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  test.slow();
  const patient = await api.createPatient();
  await signIn('practitioner');
  await page.goto('/');
  await page.getByRole('region', { name: 'Appointments today' }).waitFor();
  await page.route('**/api/trpc/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    await route.continue().catch(() => {});
  });
  await page.getByRole('link', { name: 'Plans' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Plans' }).waitFor();
  await expect(page.getByRole('status').filter({ hasText: 'Loading' })).toBeVisible({ timeout: AT_ONCE_MS });
  // The user leaves before the response.
  await page.getByRole('link', { name: 'Patients' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Patients' }).waitFor();
  await page.getByRole('searchbox').fill(patient.last_name ?? '');
  await page.getByRole('button', { name: 'Add patient' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add patient' });
  await dialog.getByLabel('First name').fill('Maple');
  await dialog.getByLabel('Last name').fill(`Example ${randomSuffix()}`);
  const save = dialog.getByRole('button', { name: 'Add patient' });
  await save.click();
  await expect(save).toHaveAttribute('aria-busy', 'true', { timeout: AT_ONCE_MS });
  await expect(page.getByRole('heading', { level: 1, name: /Maple/ })).toBeVisible({ timeout: 5 * SLOW_MS });
});

test('a lost connection keeps typed input, says so, and saves nothing automatically later', async ({
  page,
  signIn,
  watch,
}) => {
  watch.allow(/ERR_INTERNET_DISCONNECTED/);
  const last_name = `Example ${randomSuffix()}`;
  await signIn('practitioner');
  await page.goto('/patients');
  await page.getByRole('button', { name: 'Add patient' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add patient' });
  await dialog.getByLabel('First name').fill('Maple');
  await dialog.getByLabel('Last name').fill(last_name);
  await page.context().setOffline(true);
  await dialog.getByRole('button', { name: 'Add patient' }).click();
  await expect(dialog.getByRole('alert')).toBeVisible();
  await page.context().setOffline(false);
  await expect(dialog.getByLabel('Last name')).toHaveValue(last_name);
  await dialog.getByRole('button', { name: 'Add patient' }).click();
  await expect(page.getByRole('heading', { level: 1, name: `Maple ${last_name}` })).toBeVisible();
});
