import type { Page } from '@playwright/test';
import { patientName } from './api.ts';
import { expect, openListening, test } from './fixtures.ts';

/** Counts mouse presses; typing is not counted. */
async function countPresses(page: Page): Promise<() => number> {
  let presses = 0;
  await page.exposeBinding('pressed', () => {
    presses += 1;
  });
  await page.addInitScript(() =>
    window.addEventListener('pointerdown', () => (window as unknown as { pressed: () => void }).pressed(), true),
  );
  return () => presses;
}

test('a practitioner’s five daily jobs take a few presses each, starting from Today', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient('Wren');
  await api.subscribe(patient.id, 'paid');
  await signIn('practitioner');
  const presses = await countPresses(page);
  const job = async (name: string, max: number, run: () => Promise<unknown>) => {
    await openListening(page, '/');
    const before = presses();
    await run();
    const count = presses() - before;
    test.info().annotations.push({ type: name, description: `${count} presses` });
    expect(count, name).toBeGreaterThan(0);
    expect(count, name).toBeLessThanOrEqual(max);
  };
  const openResult = async (group: 'Patients' | 'Appointments') => {
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('combobox').fill(patient.last_name ?? '');
    await page.getByRole('group', { name: group }).getByRole('option').first().click();
  };
  const lastSlot = (dialog: string | RegExp) =>
    page
      .getByRole('dialog', { name: dialog })
      .getByRole('radiogroup', { name: /^Times on/ })
      .getByRole('radio')
      .last();

  await job('find a patient and book', 8, async () => {
    await openResult('Patients');
    await page.getByRole('button', { name: 'Book appointment' }).click();
    const dialog = page.getByRole('dialog', { name: /^Book an appointment/ });
    await dialog.getByLabel('Appointment type').click();
    await page.getByRole('option', { name: /Follow-up visit/ }).click();
    await dialog
      .getByRole('tab', { name: /, \d\d free times/ })
      .first()
      .click();
    await lastSlot(/^Book an appointment/).click();
    await dialog.getByRole('button', { name: /^Book / }).click();
    await expect(page.getByText('Appointment booked')).toBeVisible();
  });

  await job('move an appointment', 5, async () => {
    await openResult('Appointments');
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await lastSlot('Move the appointment').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Move appointment' }).click();
    await expect(page.getByText('Appointment moved')).toBeVisible();
  });

  await job('cancel an appointment', 5, async () => {
    await openResult('Appointments');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Cancel appointment' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel appointment' }).click();
    await expect(page.getByText('Appointment canceled')).toBeVisible();
  });

  await job('read a patient’s whole record', 2, async () => {
    await openResult('Patients');
    await expect(page.getByRole('table', { name: `Past and canceled, ${patientName(patient)}` })).toBeVisible();
    await expect(page.getByRole('table', { name: `Subscriptions of ${patientName(patient)}` })).toBeVisible();
    await expect(page.getByText('An appointment was canceled').first()).toBeVisible();
  });

  await job('see who has not paid', 2, async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Subscriptions' }).click();
    await page.getByRole('button', { name: 'Needs attention' }).click();
    await expect(
      page.getByRole('table', { name: 'Subscriptions' }).getByText('Awaiting payment').first(),
    ).toBeVisible();
  });
});
