import { patientName, randomSuffix } from './api.ts';
import { staffOf } from './card.ts';
import { blockLiveChanges, expect, test } from './fixtures.ts';
import { addFault, clearFaults } from './provider-faults.ts';

test('a list that cannot be loaded says so, and loads at a press', async ({ page, signIn, watch }) => {
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

test('slots that Acuity does not send are reported, and load at a press', { tag: '@prove' }, async ({
  page,
  signIn,
}) => {
  await signIn('practitioner');
  await page.goto('/appointments');
  await page.getByRole('button', { name: 'Book appointment' }).first().click();
  const dialog = page.getByRole('dialog');
  await addFault('acuity', { kind: '503', match: { method: 'GET', path: '/api/v1/availability/*' }, times: 1000 });
  try {
    await dialog.getByLabel('Appointment type').click();
    await page.getByRole('option', { name: /Follow-up visit/ }).click();
    // A month without cached data.
    const month = dialog.getByRole('combobox', { name: 'Month' });
    await month.selectOption({ index: 12 });
    const alert = dialog.getByRole('alert');
    await expect(alert).toContainText('The free times could not be loaded');
    await expect(alert).toContainText('Acuity cannot be reached at the moment. Try again in a minute.');
    await expect(dialog.getByText('Acuity is still telling us')).toBeHidden();
  } finally {
    await clearFaults('acuity');
  }
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await expect(dialog.getByRole('tablist', { name: 'Days' })).toBeVisible();
});

test('typed input stays when saving fails, and is saved at the second press', async ({ page, signIn, watch }) => {
  watch.allow(/ERR_FAILED/);
  const last_name = `Example ${randomSuffix()}`;
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

test('a dialog that meets the end of the session goes on after the sign-in', async ({
  page,
  signIn: signInAs,
  api,
  watch,
}) => {
  watch.allow(/401/);
  const patient = await api.createPatient();
  await signInAs('practitioner');
  // Live changes would cause requests, which might detect the session's end before the press does.
  await blockLiveChanges(page);
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('heading', { level: 1, name: patientName(patient) }).waitFor();
  await page.getByText('No subscription').waitFor();
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Book appointment' }).click();
  const signIn = page.getByRole('dialog', { name: 'Sign in again' });
  await signIn.getByLabel('Password').fill(staffOf('practitioner').password);
  await signIn.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('dialog', { name: /Book an appointment/ }).getByLabel('Appointment type')).toBeVisible();
});
