import { patientName, randomSuffix } from './api.ts';
import { expect, test } from './fixtures.ts';
import { hidden, press } from './press.ts';

test('staff find a patient by the search of the list', async ({ page, signIn, api }) => {
  const patient = await api.createPatient('Wren');
  await signIn('practitioner');
  await page.goto('/patients');
  const search = page.getByRole('searchbox', { name: 'Search by name, date of birth or phone' });
  await search.fill(`unmatched ${patient.last_name}`);
  await expect(page.getByText('No patient matches')).toBeVisible();
  await search.fill(patient.email ?? '');
  await page.getByRole('link', { name: patientName(patient) }).click();
  await expect(page.getByRole('heading', { level: 1, name: patientName(patient) })).toBeVisible();
  await expect(page).toHaveTitle(`${patientName(patient)} · Carelane`);
});

test('staff open a patient with the command palette', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const patient = await api.createPatient('Wren');
  await signIn('practitioner');
  await page.goto('/');
  await page.getByRole('button', { name: 'Search' }).click();
  const palette = page.getByRole('dialog');
  await palette.getByRole('combobox').fill(patient.last_name ?? '');
  await palette.getByRole('option', { name: patientName(patient) }).click();
  await expect(page.getByRole('heading', { level: 1, name: patientName(patient) })).toBeVisible();
});

test('staff add a patient, see an error, and edit the record', async ({ page, signIn, api, watch }) => {
  watch.allow(/409/);
  const existing = await api.createPatient();
  const last_name = `Example ${randomSuffix()}`;
  // No other patient has this number.
  const digits = String(Number.parseInt(randomSuffix(), 16) % 10_000).padStart(4, '0');
  await signIn('practitioner');
  await page.goto('/patients');
  await page.getByRole('button', { name: 'Add patient' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add patient' });
  await dialog.getByLabel('First name').fill('Maple');
  await dialog.getByLabel('Last name').fill(last_name);
  await dialog.getByLabel('Phone').fill(`202555${digits}`);
  await dialog.getByLabel('Street').fill('12 Example Street');
  await dialog.getByLabel('City').fill('Springfield');

  await dialog.getByLabel('Email').fill('not an address');
  await dialog.getByRole('button', { name: 'Add patient' }).click();
  await expect(dialog.getByLabel('Email')).toHaveAccessibleDescription('Enter an email address like name@example.org.');
  await dialog.getByLabel('Email').fill(existing.email ?? '');
  await dialog.getByRole('button', { name: 'Add patient' }).click();
  await expect(dialog.getByRole('link', { name: patientName(existing) })).toBeVisible();
  await dialog.getByRole('button', { name: 'Add patient' }).click();
  await expect(dialog.getByLabel('Email')).toHaveAccessibleDescription(/Another patient has this/);
  await dialog.getByLabel('Email').fill(`maple-${randomSuffix()}@patients.example.test`);
  await dialog.getByRole('button', { name: 'Add patient' }).click();

  await expect(page.getByRole('heading', { level: 1, name: `Maple ${last_name}` })).toBeVisible();
  await expect(page.locator('dl').getByText(`(202) 555-${digits}`)).toBeVisible();
  await expect(page.getByText('12 Example Street, Springfield')).toBeVisible();

  await page.getByRole('button', { name: 'Edit details' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit patient' });
  await edit.getByLabel('First name').fill('Juniper');
  await edit.getByLabel('Date of birth').fill('1990-04-12');
  await edit.getByLabel('Phone').fill('2025550177');
  await edit.getByLabel('Sex on record').click();
  await page.getByRole('option', { name: 'Female' }).click();
  await edit.getByLabel('Tags').fill('new, remote');
  await edit.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('heading', { level: 1, name: `Juniper ${last_name}` })).toBeVisible();
  await expect(page.locator('dl').getByText('(202) 555-0177')).toBeVisible();
  await expect(page.getByText(/^Born Apr 12, 1990/)).toBeVisible();
  await expect(page.getByText('remote', { exact: true })).toBeVisible();
  await expect(page.locator('dl').getByText(`(202) 555-${digits}`)).toBeHidden();
});

test('staff find a name written as “last, first”, with the right count, and sort the list by name', {
  tag: '@prove',
}, async ({ page, signIn, api }) => {
  const patient = await api.createPatient('Wren');
  const suffix = randomSuffix();
  for (const [first_name, last_name] of [
    ['Juniper', `Birch ${suffix}`],
    ['Alder', `Cedar ${suffix}`],
    ['Rowan', `Birch ${suffix}`],
    ['Wren', `Aspen ${suffix}`],
  ])
    await api.call('/patients', { first_name, last_name });
  await signIn('practitioner');
  await page.goto('/patients');
  const search = page.getByRole('searchbox', { name: /^Search by name/ });
  await search.fill(`${patient.last_name}, Wren`);
  await expect(page.getByText('1 patient', { exact: true })).toBeVisible();
  await search.fill('');
  await expect(page.getByText(/^(First 20 of )?\d+ patients$/)).toBeVisible();

  await search.fill(suffix);
  await expect(page.getByText('4 patients', { exact: true })).toBeVisible();
  const names = page.getByRole('table', { name: 'Patients' }).getByRole('link');
  const header = page.getByRole('columnheader', { name: 'Patient' });
  const sorted = [`Wren Aspen ${suffix}`, `Juniper Birch ${suffix}`, `Rowan Birch ${suffix}`, `Alder Cedar ${suffix}`];
  await header.getByRole('button').click();
  await expect(header).toHaveAttribute('aria-sort', 'ascending');
  await expect(names).toHaveText(sorted);
  await header.getByRole('button').click();
  await expect(header).toHaveAttribute('aria-sort', 'descending');
  await expect(names).toHaveText(sorted.toReversed());
  await expect(page).toHaveURL(/sort=-name/);

  await page.getByRole('button', { name: /^Status/ }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Invited' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Archived' }).click();
  await press(page, 'Escape', hidden(page.getByRole('menu')));
  await expect(page.getByRole('button', { name: 'Status: Invited, Archived' })).toBeFocused();
  await expect(page).toHaveURL(/status=invited%2Carchived/);
});

test('staff correct a mistyped email of a patient who does not sign in', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
  watch,
}) => {
  watch.allow(/409/);
  const [patient, other] = [await api.createPatient('Wren'), await api.createPatient()];
  const correctEmail = `wren-${randomSuffix()}@patients.example.test`;
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'Edit details' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit patient' });
  const email = edit.getByLabel(/^e-?mail/i);
  await email.fill(other.email ?? '');
  await edit.getByRole('button', { name: 'Save changes' }).click();
  await expect(email).toHaveAccessibleDescription(/Another patient has this/);
  await email.fill(correctEmail);
  await edit.getByRole('button', { name: 'Save changes' }).click();
  await expect(edit).toBeHidden();
  await expect(page.getByText(correctEmail)).toBeVisible();
  expect(await api.call(`/patients/${patient.id}`)).toMatchObject({ email: correctEmail, email_verified: false });
});

test('staff archive a patient, who can no longer be booked', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const patient = await api.createPatient();
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Archive patient' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Archive patient' }).click();
  await expect(page.getByText('Archived', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Book appointment' })).toBeHidden();
});

test('the page of an unknown patient or a malformed id says so and links back to the list', {
  tag: '@prove',
}, async ({ page, signIn, watch }) => {
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
