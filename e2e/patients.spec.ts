import { nameOf, newMark } from './api.ts';
import { expect, test } from './fixtures.ts';

test('staff finds a patient by the search of the list', async ({ page, signIn, api }) => {
  const patient = await api.createPatient('Wren');
  await signIn('practitioner');
  await page.goto('/patients');
  const search = page.getByRole('searchbox', { name: 'Search by name, email or phone' });
  await search.fill(`nobody ${patient.last_name}`);
  await expect(page.getByText('No patient matches')).toBeVisible();
  await search.fill(patient.email ?? '');
  await page.getByRole('link', { name: nameOf(patient) }).click();
  await expect(page.getByRole('heading', { level: 1, name: nameOf(patient) })).toBeVisible();
  await expect(page).toHaveTitle(`${nameOf(patient)} · Carelane`);
});

test('staff jumps to a patient with the command palette', async ({ page, signIn, api }) => {
  const patient = await api.createPatient('Wren');
  await signIn('practitioner');
  await page.goto('/');
  await page.getByRole('button', { name: 'Search' }).click();
  const palette = page.getByRole('dialog', { name: 'Go to a page or a patient' });
  await palette.getByRole('combobox').fill(patient.last_name ?? '');
  await palette.getByRole('option', { name: nameOf(patient) }).click();
  await expect(page.getByRole('heading', { level: 1, name: nameOf(patient) })).toBeVisible();
});

test('staff adds a patient, is told of a slip, and edits the record', async ({ page, signIn, api, watch }) => {
  watch.allow(/409/);
  const taken = await api.createPatient();
  const last_name = `Example ${newMark()}`;
  await signIn('practitioner');
  await page.goto('/patients');
  await page.getByRole('button', { name: 'Add patient' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add patient' });
  await dialog.getByLabel('First name').fill('Maple');
  await dialog.getByLabel('Last name').fill(last_name);
  await dialog.getByLabel('Date of birth').fill('1990-04-12');
  await dialog.getByLabel('Phone').fill('2025550123');
  await dialog.getByLabel('Street').fill('12 Example Street');
  await dialog.getByLabel('City').fill('Springfield');

  await dialog.getByLabel('Email').fill('not an address');
  await dialog.getByRole('button', { name: 'Add patient' }).click();
  await expect(dialog.getByLabel('Email')).toHaveAccessibleDescription(/Enter an email like/);
  await dialog.getByLabel('Email').fill(taken.email ?? '');
  await dialog.getByRole('button', { name: 'Add patient' }).click();
  await expect(dialog.getByLabel('Email')).toHaveAccessibleDescription(/Another patient has this/);
  await dialog.getByLabel('Email').fill(`maple-${newMark()}@patients.example.test`);
  await dialog.getByRole('button', { name: 'Add patient' }).click();

  await expect(page.getByRole('heading', { level: 1, name: `Maple ${last_name}` })).toBeVisible();
  await expect(page.getByText('(202) 555-0123')).toBeVisible();
  await expect(page.getByText('12 Example Street, Springfield')).toBeVisible();

  await page.getByRole('button', { name: 'Edit details' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit patient' });
  await expect(edit.getByLabel('Email')).toBeDisabled();
  await edit.getByLabel('First name').fill('Juniper');
  await edit.getByLabel('Phone').fill('2025550177');
  await edit.getByLabel('Sex on record').click();
  await page.getByRole('option', { name: 'Female' }).click();
  await edit.getByLabel('Tags').fill('new, remote');
  await edit.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('heading', { level: 1, name: `Juniper ${last_name}` })).toBeVisible();
  await expect(page.getByText('(202) 555-0177')).toBeVisible();
  await expect(page.getByText('remote', { exact: true })).toBeVisible();
  await expect(page.getByText('(202) 555-0123')).toBeHidden();
});

test('staff archives a patient, who then can be booked for no more', async ({ page, signIn, api }) => {
  const patient = await api.createPatient();
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Archive patient' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Archive patient' }).click();
  await expect(page.getByText('Archived', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Book visit' })).toBeHidden();
});

test('an address of no patient, or of nothing at all, says so and leads back to all of them', async ({
  page,
  signIn,
  watch,
}) => {
  watch.allow(/404|422/);
  await signIn('practitioner');
  for (const id of ['pat_nope', '00000000-0000-4000-8000-000000000000']) {
    await page.goto(`/patients/${id}`);
    await expect(page.getByText('There is no such patient')).toBeVisible();
    await expect(page.getByText(/invalid|UUID/i)).toBeHidden();
  }
  await page.getByRole('link', { name: 'All patients' }).click();
  await expect(page.getByRole('table', { name: 'Patients' })).toBeVisible();
});
