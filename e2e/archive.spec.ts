import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { patientName } from './api.ts';
import { readCard } from './card.ts';
import { expect, test } from './fixtures.ts';

async function openArchiveDialog(page: Page, patientId: string, name: string) {
  await page.goto(`/patients/${patientId}`);
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Archive patient' }).click();
  return page.getByRole('alertdialog');
}

/** Makes Acuity fail each cancellation from now on, or stops that. */
async function setAcuityFailing(failing: boolean): Promise<void> {
  const response = await fetch(`${new URL(readCard().emulators.acuity).origin}/_emulator/faults`, {
    method: failing ? 'POST' : 'DELETE',
    ...(failing && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        kind: '503',
        times: 1000,
        match: { method: 'PUT', path: '/api/v1/appointments/:id/cancel' },
      }),
    }),
  });
  expect(response.ok, await response.text()).toBe(true);
}

test('archiving ends appointments and subscriptions by an explicit choice, history keeps the name, and it can be undone', async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient();
  const name = patientName(patient);
  const appointment = await api.book(patient.id);
  const subscription = await api.subscribe(patient.id, 'trial');
  await signIn('admin');

  const dialog = await openArchiveDialog(page, patient.id, name);
  await expect(dialog.getByRole('heading', { name: `Archive ${name}?` })).toBeVisible();
  await expect(dialog.getByRole('list', { name: 'Appointments to cancel' })).toContainText(
    `${appointment.appointment_type} with ${appointment.calendar}`,
  );
  await expect(dialog.getByRole('list', { name: 'Subscriptions to end' })).toContainText(subscription.name ?? '');
  const archive = dialog.getByRole('button', { name: 'End care and archive' });
  await expect(archive).toBeDisabled();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Keep active' }).click();
  await expect(page.getByText('Active', { exact: true })).toBeVisible();

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Archive patient' }).click();
  await dialog.getByRole('checkbox', { name: 'Cancel 1 appointment and end 1 subscription now' }).click();
  await archive.click();
  await expect(dialog.getByRole('heading', { name: `${name} is archived` })).toBeVisible();
  await expect(dialog).toContainText('1 appointment was canceled and 1 subscription was ended.');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('Archived', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Book appointment' })).toBeHidden();
  await expect(page.getByRole('table', { name: `Subscriptions of ${name}` })).toContainText('Canceled');
  expect(await api.call(`/appointments/${appointment.id}`)).toMatchObject({ status: 'canceled' });
  expect(await api.subscription(subscription.id)).toMatchObject({ status: 'canceled' });

  // Other tests cancel appointments too, and the list shows a page of the first ones.
  const day = new Date(appointment.from_date).toLocaleDateString('en-CA', { timeZone: 'America/New_York' });
  for (const path of [`/appointments?status=canceled&from=${day}&until=${day}`, '/subscriptions?status=canceled']) {
    await page.goto(path);
    await expect(page.getByRole('link', { name })).toBeVisible();
    await expect(page.getByText('Unknown patient')).toHaveCount(0);
  }
  await page.goto('/patients');
  await page.getByRole('searchbox').fill(patient.email ?? '');
  await expect(page.getByText('No patient matches')).toBeVisible();

  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'Unarchive' }).click();
  const confirmation = page.getByRole('alertdialog', { name: `Take ${name} back into care?` });
  await expect(confirmation).toContainText('until you invite them again');
  await confirmation.getByRole('button', { name: 'Unarchive patient' }).click();
  await expect(page.getByText('Patient is active again')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Book appointment' })).toBeVisible();
});

test.describe('while Acuity fails', () => {
  test.beforeEach(() => setAcuityFailing(true));
  test.afterEach(() => setAcuityFailing(false));

  test('the patient stays active, the page says why, and a retry completes the archiving', { tag: '@prove' }, async ({
    page,
    signIn,
    api,
  }) => {
    const patient = await api.createPatient();
    const name = patientName(patient);
    await api.book(patient.id);
    await signIn('practitioner');

    const dialog = await openArchiveDialog(page, patient.id, name);
    await dialog.getByRole('checkbox', { name: 'Cancel 1 appointment now' }).click();
    await dialog.getByRole('button', { name: 'End care and archive' }).click();
    await expect(dialog.getByRole('heading', { name: `Archiving ${name}` })).toBeVisible();
    await expect(dialog.getByRole('status')).toContainText('1 appointment still to end.');
    await expect(dialog.getByRole('alert')).toContainText('Acuity');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Close' }).click();

    const notice = page.getByRole('region', { name: 'Care is ending' });
    await expect(notice.getByRole('alert')).toContainText('tried again automatically');
    await expect(page.getByText('Ending care', { exact: true })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Book appointment' })).toBeHidden();
    await expectAccessible(page);
    await page.goto(`/patients?search=${patient.last_name?.split(' ').at(-1)}`);
    await expect(page.getByRole('row', { name })).toContainText('Ending care');

    await page.goto(`/patients/${patient.id}`);
    const retry = notice.getByRole('button', { name: 'Try again' });
    await expect(retry).toBeEnabled();
    // Only now: the service retries automatically as well, and would be first while the page is still loading.
    await setAcuityFailing(false);
    await retry.click();
    await expect(page.getByText('Archived', { exact: true })).toBeVisible();
    await expect(notice).toBeHidden();
    await expect(page.getByRole('table', { name: `Appointments of ${name}` })).toHaveCount(0);
  });
});
