import { nameOf, newMark } from './api.ts';
import { staffOf } from './card.ts';
import { expect, fillSignIn, tellNothingLive, test } from './fixtures.ts';

test('a list that cannot be loaded says so, and comes back at a press', async ({ page, signIn, watch }) => {
  watch.allow(/ERR_FAILED/);
  await signIn('practitioner');
  await page.route('**/api/trpc/**', (route) => route.abort());
  await page.goto('/patients');
  const list = page.getByRole('region', { name: 'Patients' });
  await expect(list.getByText('This could not be loaded')).toBeVisible();
  await expect(list.getByText(/The server did not answer/)).toBeVisible();
  await page.unroute('**/api/trpc/**');
  await list.getByRole('button', { name: 'Try again' }).click();
  await expect(list.getByRole('table', { name: 'Patients' })).toBeVisible();
});

test('what was typed is still there when saving fails, and saves at the second press', async ({
  page,
  signIn,
  watch,
}) => {
  watch.allow(/ERR_FAILED/);
  const last_name = `Example ${newMark()}`;
  await signIn('practitioner');
  await page.goto('/patients');
  await page.getByRole('button', { name: 'Add patient' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add patient' });
  await dialog.getByLabel('First name').fill('Maple');
  await dialog.getByLabel('Last name').fill(last_name);
  await page.route('**/api/trpc/patients.create**', (route) => route.abort());
  await dialog.getByRole('button', { name: 'Add patient' }).click();
  await expect(dialog.getByRole('alert')).toContainText('The server did not answer');
  await expect(dialog.getByLabel('Last name')).toHaveValue(last_name);
  await page.unroute('**/api/trpc/patients.create**');
  await dialog.getByRole('button', { name: 'Add patient' }).click();
  await expect(page.getByRole('heading', { level: 1, name: `Maple ${last_name}` })).toBeVisible();
});

test('a session that ends while a page is open leads to the sign-in and back to the page', async ({
  page,
  signIn,
  api,
  watch,
}) => {
  watch.allow(/401/);
  const patient = await api.createPatient();
  await signIn('practitioner');
  // What is told live is asked for anew, which might find the session's end before the press does.
  await tellNothingLive(page);
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('heading', { level: 1, name: nameOf(patient) }).waitFor();
  await page.getByText('No subscription').waitFor();
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Book visit' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in to your clinic' }).waitFor();
  await fillSignIn(page, staffOf('practitioner'));
  await expect(page.getByRole('heading', { level: 1, name: nameOf(patient) })).toBeVisible();
});
