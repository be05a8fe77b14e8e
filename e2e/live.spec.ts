import { patientName } from './api.ts';
import { expect, test } from './fixtures.ts';
import { hidden, press, visible } from './press.ts';
import { promised } from './prove.ts';

const LIVE_UPDATE_MS = promised(2_000);

test.describe('changes by others show on open pages automatically', () => {
  test('an appointment that a colleague books, within two seconds', { tag: '@prove' }, async ({
    page,
    signIn,
    browser,
    sessionOf,
    api,
    watch,
  }) => {
    const patient = await api.createPatient();
    await signIn('admin');
    const listening = page.waitForResponse(/\/api\/live/);
    await page.goto(`/patients/${patient.id}`);
    await page.getByRole('heading', { level: 1, name: patientName(patient) }).waitFor();
    await listening;
    await expect(
      page
        .getByText('No appointments yet')
        .or(page.getByText(/No .*appointments/))
        .first(),
    ).toBeVisible();

    const colleague = await browser.newContext({ storageState: await sessionOf('practitioner') });
    watch.follow(colleague);
    const colleaguesPage = await colleague.newPage();
    const streamOpened = colleaguesPage.waitForResponse(/\/api\/live/);
    await colleaguesPage.goto('/patients');
    await colleaguesPage.getByRole('table', { name: 'Patients' }).waitFor();
    await streamOpened;

    const appointment = await api.book(patient.id);
    const row = page.getByRole('row').filter({ hasText: appointment.appointment_type });
    await expect(row.first()).toBeVisible({ timeout: LIVE_UPDATE_MS });
    await api.cancelAppointment(appointment.id);
    await expect(row.filter({ hasNotText: 'Canceled' })).toHaveCount(0, { timeout: LIVE_UPDATE_MS });

    const newcomer = await api.createPatient('Newcomer');
    await expect(colleaguesPage.getByRole('link', { name: patientName(newcomer) })).toBeVisible({
      timeout: LIVE_UPDATE_MS,
    });
    await colleague.close();
  });

  test('one tab of a browser listens for all of them, and another takes over', { tag: '@prove' }, async ({
    context,
    signIn,
    api,
  }) => {
    await signIn('admin');
    let streams = 0;
    context.on('request', (request) => {
      if (request.url().includes('/api/live')) streams += 1;
    });
    const first = await context.newPage();
    const listening = first.waitForResponse(/\/api\/live/);
    await first.goto('/patients');
    await listening;
    const second = await context.newPage();
    await second.goto('/patients');
    await second.getByRole('table', { name: 'Patients' }).waitFor();
    const patient = await api.createPatient('Shared');
    for (const tab of [first, second])
      await expect(tab.getByRole('link', { name: patientName(patient) })).toBeVisible({ timeout: 2 * LIVE_UPDATE_MS });
    expect(streams).toBe(1);
    await first.close();
    await expect.poll(() => streams).toBe(2);
    const other = await api.createPatient('Later');
    await expect(second.getByRole('link', { name: patientName(other) })).toBeVisible({ timeout: 2 * LIVE_UPDATE_MS });
  });
});

test('an admin follows the events, filters them and opens one', async ({ page, signIn, api }) => {
  const patient = await api.createPatient();
  await signIn('admin');
  const listening = page.waitForResponse(/\/api\/live/);
  await page.goto('/settings/events');
  const table = page.getByRole('table', { name: 'Events' });
  await expect(table.getByRole('row').filter({ hasText: patientName(patient) })).toHaveCount(1);
  await listening;
  const appointment = await api.book(patient.id);
  const row = table
    .getByRole('row')
    .filter({ hasText: 'Appointment scheduled' })
    .filter({ hasText: patientName(patient) });
  await expect(row).toBeVisible({ timeout: LIVE_UPDATE_MS });

  await page.getByRole('button', { name: /^About:/ }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Patients' }).click();
  await press(page, 'Escape', hidden(page.getByRole('menu')));
  await expect(row).toHaveCount(0);
  await expect(page).toHaveURL(/type=patient/);
  await page.goto('/settings/events?type=appointment');
  await row.getByRole('button', { name: 'Appointment scheduled' }).focus();
  const sheet = page.getByRole('dialog', { name: 'Appointment scheduled' });
  await press(page, 'Enter', visible(sheet));
  await expect(sheet.getByRole('group', { name: 'The event as JSON' })).toContainText(appointment.id);
  await press(page, 'Escape', hidden(sheet));
});
