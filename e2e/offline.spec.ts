import { expectAccessible } from './accessible.ts';
import { expect, test } from './fixtures.ts';

test.use({ serviceWorkers: 'allow' });

test('without a connection the offline page is shown, and nothing of the clinic is stored', async ({
  page,
  context,
  signIn,
  watch,
}) => {
  watch.allow(/ERR_INTERNET_DISCONNECTED|503/);
  await signIn('practitioner');
  await page.goto('/patients');
  await page.getByRole('table', { name: 'Patients' }).waitFor();
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await context.setOffline(true);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'No connection' })).toBeVisible();
  await expectAccessible(page);
  await context.setOffline(false);
  await page.getByRole('link', { name: 'Try again' }).click();
  await expect(page.getByRole('table', { name: 'Patients' })).toBeVisible();
  expect(await page.evaluate(() => caches.keys())).toEqual([]);
});
