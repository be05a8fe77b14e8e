import { expectAccessible } from './accessible.ts';
import { patientName, randomSuffix } from './api.ts';
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
  await expect(page.getByRole('table', { name: 'Patients' })).toBeVisible();
  expect(await page.evaluate(() => caches.keys())).toEqual([]);
  // The service worker passes the portal's requests for pages on.
  await page.getByRole('table', { name: 'Patients' }).getByRole('link').first().click();
  await expect(page).toHaveURL(/\/patients\/[0-9a-f-]{36}$/);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});

for (const [device, viewport, tag] of [
  ['a desktop', { width: 1280, height: 800 }, []],
  ['a phone', { width: 390, height: 800 }, ['@prove']],
] as const)
  test.describe(`on ${device}`, () => {
    test.use({ serviceWorkers: 'block', viewport });

    test('without a connection the page stays, says so and recovers', { tag: [...tag] }, async ({
      page,
      context,
      signIn,
      watch,
      api,
    }) => {
      watch.allow(/ERR_INTERNET_DISCONNECTED/);
      await signIn('practitioner');
      await page.goto('/patients');
      const table = page.getByRole('table', { name: 'Patients' });
      await table.getByRole('link').first().waitFor();
      await page.waitForLoadState('networkidle');
      await context.setOffline(true);
      const bar = page.getByRole('status').filter({ hasText: 'No connection.' });
      await expect(bar).toBeVisible();
      await expectAccessible(page);
      await table.getByRole('link').first().click();
      await expect(bar).toContainText('What you chose opens when the connection is back.');
      await expect(table.getByRole('link').first()).toBeVisible();
      await bar.getByRole('button', { name: 'Stay here' }).click();
      await expect(bar).toContainText('what you typed stays');
      // The dialog's script cannot be loaded; the page stays, and the dialog opens later.
      await page.getByRole('button', { name: 'Add patient' }).click();
      await expect(table).toBeVisible();
      const patient = await api.createPatient('Reconnected');
      await context.setOffline(false);
      await expect(page.getByText('Connected again.')).toBeVisible();
      await expect(bar).toBeHidden();
      await expect(page.getByRole('link', { name: patientName(patient), includeHidden: true })).toHaveCount(1);
      await expect(page.getByRole('dialog', { name: 'Add patient' })).toBeVisible();
    });
  });

test.describe('without the service worker', () => {
  test.use({ serviceWorkers: 'block' });

  test('a form stays when it cannot be saved, and the link of the last choice opens later', { tag: '@prove' }, async ({
    page,
    context,
    signIn,
    watch,
  }) => {
    watch.allow(/ERR_INTERNET_DISCONNECTED/);
    await signIn('practitioner');
    await page.goto('/patients');
    await page.getByRole('table', { name: 'Patients' }).getByRole('link').first().waitFor();
    await page.getByRole('button', { name: 'Add patient' }).click();
    const form = page.getByRole('dialog', { name: 'Add patient' });
    const lastName = `Offline ${randomSuffix()}`;
    await form.getByLabel('First name').fill('Maple');
    await form.getByLabel('Last name').fill(lastName);
    await context.setOffline(true);
    await form.getByRole('button', { name: 'Add patient' }).click();
    await expect(form.getByText('The server did not answer. Check your connection and try again.')).toBeVisible();
    await expect(form.getByLabel('Last name')).toHaveValue(lastName);
    await context.setOffline(false);
    await expect(page.getByText('Connected again.')).toBeVisible();
    await form.getByRole('button', { name: 'Add patient' }).click();
    await expect(page.getByRole('heading', { level: 1, name: `Maple ${lastName}` })).toBeVisible();

    await page.waitForLoadState('networkidle');
    await context.setOffline(true);
    await expect(page.getByText('No connection.')).toBeVisible();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Plans' }).click();
    await expect(page.getByText('What you chose opens')).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByRole('table', { name: 'Plans' })).toBeVisible();
  });

  test('a link that is followed before the loss is noticed waits as well, and “back” works', { tag: '@prove' }, async ({
    page,
    signIn,
    watch,
  }) => {
    watch.allow(/ERR_FAILED|503/);
    await signIn('practitioner');
    await page.goto('/patients');
    const table = page.getByRole('table', { name: 'Patients' });
    await table.getByRole('link').first().waitFor();
    await page.waitForLoadState('networkidle');
    // As if the service were stopped: the browser has a network, and a proxy responds.
    const isPageRequest = (url: URL) => url.searchParams.has('_rsc');
    await page.route(isPageRequest, (route) => route.abort('failed'));
    await page.route(/api\/(trpc|live)/, (route) => route.abort('failed'));
    await page.route('**/api/health', (route) => route.fulfill({ status: 503, body: 'Bad gateway' }));
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Plans' }).click();
    await expect(page.getByText('No connection.')).toBeVisible();
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
    await page.unrouteAll();
    await expect(page.getByText('Connected again.')).toBeVisible();
    await expect(page.getByRole('table', { name: 'Plans' })).toBeVisible();
    await page.goBack();
    await expect(table).toBeVisible();
  });
});
