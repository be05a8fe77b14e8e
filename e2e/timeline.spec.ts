import { readFile } from 'node:fs/promises';
import { expectAccessible } from './accessible.ts';
import { patientName } from './api.ts';
import { expectAccessibleAndFits } from './fits.ts';
import { expect, test } from './fixtures.ts';
import { hidden, press } from './press.ts';
import { promised } from './prove.ts';

test('a patient’s page shows the timeline by kind and live, and prints it', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient('Wren');
  const appointment = await api.book(patient.id);
  await api.subscribe(patient.id, 'trial');

  await signIn('practitioner');
  const listening = page.waitForResponse(/\/api\/live/);
  await page.goto(`/patients/${patient.id}`);
  const timeline = page.getByRole('region', { name: /^What happened, Wren/ });
  const lines = timeline.getByRole('listitem');
  await expect(lines.last()).toContainText('Added as a patient');
  await expect(lines.last()).toContainText('Demo application');
  const booked = lines.filter({ hasText: 'An appointment was booked' });
  await expect(booked).toContainText(appointment.appointment_type);
  await expect(lines.filter({ hasText: 'A subscription was started' })).toHaveCount(1);

  // Changes by others show automatically, with their actor.
  await listening;
  await api.cancelAppointment(appointment.id);
  await expect(lines.filter({ hasText: /An appointment was canceled/ })).toBeVisible({ timeout: promised(5_000) });

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit details' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Middle name').fill('Robin');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  const changed = lines.filter({ hasText: 'Details were changed' });
  await expect(changed).toContainText(/Middle name/);
  await expect(changed).not.toContainText('Robin');

  const views = timeline.getByRole('group', { name: 'What to show' });
  await views.getByRole('button', { name: 'Appointments' }).click();
  await expect(page).toHaveURL(/timeline=visits/);
  await expect(lines).toHaveCount(2);
  await page.reload();
  await expect(lines).toHaveCount(2);
  await views.getByRole('button', { name: 'Sign-in' }).click();
  await expect(timeline.getByText('Nothing about signing in yet')).toBeVisible();
  await views.getByRole('button', { name: 'Everything' }).click();
  await expect(page).not.toHaveURL(/timeline=/);
  await expect(lines.last()).toContainText('Added as a patient');
  await expectAccessibleAndFits(page);

  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('button')).toHaveCount(0);
  await expect(timeline.getByText(/^From .* to .*\.$/)).toBeVisible();
  for (const text of [
    'Added as a patient',
    'An appointment was booked',
    'An appointment was canceled',
    'Details were changed',
  ])
    await expect(timeline.getByText(new RegExp(text))).toBeVisible();
  const pdf = await page.pdf({ format: 'A4' });
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  await page.emulateMedia({ media: 'screen' });
});

test('an appointment and a subscription show their own part of the timeline', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient('Part');
  const appointment = await api.book(patient.id);
  await api.cancelAppointment(appointment.id);
  await api.subscribe(patient.id, 'trial');
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await page
    .getByRole('table', { name: /^Past and canceled/ })
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: 'What happened' }).click();
  const sheet = page.getByRole('dialog', { name: `What happened: ${appointment.appointment_type}` });
  await expect(sheet.getByRole('listitem')).toHaveText([/An appointment was canceled/, /An appointment was booked/]);
  await expectAccessible(page);
  await press(page, 'Escape', hidden(sheet));
  await page
    .getByRole('table', { name: /^Subscriptions of/ })
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: 'What happened' }).click();
  await expect(page.getByRole('dialog').getByRole('listitem').last()).toContainText('A subscription was started');
  await page.keyboard.press('Escape');
});

test('a long timeline continues where it ended', { tag: '@prove' }, async ({ page, signIn, api }) => {
  const patient = await api.createPatient('Long');
  await signIn('admin');
  // In turn, because equal entries are shown as one line.
  for (let n = 0; n < 31; n++)
    if (n % 2 === 0) await page.request.get(`/api/charts/export?patient_id=${patient.id}&format=page`);
    else await api.call('/tasks', { title: `Call ${n}`, patient_id: patient.id });
  await page.goto(`/patients/${patient.id}`);
  const timeline = page.getByRole('region', { name: /^What happened, / });
  const lines = timeline.getByRole('listitem');
  await expect(lines).toHaveCount(30);
  await page.emulateMedia({ media: 'print' });
  await expect(timeline.getByText('What happened before is not printed here.')).toBeVisible();
  await page.emulateMedia({ media: 'screen' });
  await timeline.getByRole('button', { name: 'Load more' }).click();
  await expect(lines).toHaveCount(32);
  await expect(lines.last()).toContainText('Added as a patient');
  await expect(timeline.getByText('32 entries', { exact: true })).toBeVisible();
});

test('an admin exports all stored data of a patient; a practitioner is not offered it', {
  tag: '@prove',
}, async ({ page, signIn, api, visitor, sessionOf }) => {
  const patient = await api.createPatient('Kept');
  const name = patientName(patient);
  const appointment = await api.book(patient.id);
  await visitor.context().addCookies((await sessionOf('practitioner')).cookies);
  await visitor.goto(`/patients/${patient.id}`);
  await visitor.getByRole('button', { name: 'More actions' }).click();
  await expect(visitor.getByRole('menuitem', { name: 'Edit details' })).toBeVisible();
  await expect(visitor.getByRole('menuitem', { name: 'Everything on record' })).toHaveCount(0);
  await visitor.goto(`/patients/${patient.id}/export`);
  await expect(visitor.getByText('Your role does not include this page')).toBeVisible();
  const response = await visitor.request.get(`/api/charts/export?patient_id=${patient.id}&format=json`);
  expect(response.status()).toBe(403);

  await signIn('admin');
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Everything on record' }).click();
  await expect(page.getByRole('heading', { level: 1, name: `Everything on record about ${name}` })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Appointments', exact: true }).getByRole('listitem')).toContainText(
    appointment.appointment_type,
  );
  await expect(page.getByRole('list', { name: 'Who has seen or changed it' })).toContainText('patients.create');

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /Save as a file/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(new RegExp(`^patient-${patient.id}-\\d{4}-\\d\\d-\\d\\d\\.json$`));
  const file = JSON.parse(await readFile(await download.path(), 'utf8'));
  expect(file.patient).toMatchObject([{ id: patient.id, email: patient.email }]);
  expect(file.visits).toMatchObject([{ id: appointment.id }]);

  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('button')).toHaveCount(0);
  await expect(page.getByRole('navigation')).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Record', exact: true })).toBeVisible();
  await page.emulateMedia({ media: 'screen' });
  await expectAccessibleAndFits(page);

  await page.goto(`/patients/${patient.id}`);
  const timeline = page.getByRole('region', { name: `What happened, ${name}` });
  await expect(timeline.getByText('Everything on record was exported').first()).toBeVisible();
});
