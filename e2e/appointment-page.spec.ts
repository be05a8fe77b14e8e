import type { Page } from '@playwright/test';
import type { AppointmentView } from '#contract/scheduling.ts';
import { PORTAL_HEADERS, patientName } from './api.ts';
import { bookAppointmentIn, noonTimeZone } from './appointment-now.ts';
import { chooseDay, chooseSlot } from './choose-slot.ts';
import { type ClinicSettings, readClinic, saveClinic } from './clinic-settings.ts';
import { expect, test } from './fixtures.ts';
import { inServedDatabase } from './served-database.ts';

const CANCEL_REASON = 'The practitioner has a sprained ankle';

const lines = (page: Page) => page.getByRole('region', { name: 'What happened' }).getByRole('listitem');

test('an appointment is opened from the list, moved, canceled with a reason, and its timeline read', {
  tag: '@prove',
}, async ({ page, signIn, api }) => {
  const patient = await api.createPatient();
  const appointment = await api.book(patient.id);
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await page
    .getByRole('table', { name: `Appointments of ${patientName(patient)}` })
    .getByRole('link', { name: appointment.appointment_type })
    .click();
  await expect(page).toHaveURL(new RegExp(`/appointments/${appointment.id}$`));
  await expect(page.getByRole('heading', { level: 1, name: appointment.appointment_type })).toBeVisible();
  await expect(page.getByRole('link', { name: patientName(patient) })).toHaveAttribute(
    'href',
    `/patients/${patient.id}`,
  );
  await expect(page.getByRole('link', { name: 'Join by video' })).toHaveAttribute(
    'href',
    `/appointments/${appointment.id}/call`,
  );
  await expect(page.getByRole('button', { name: 'Copy link' })).toBeVisible();
  // It has not begun, so a no-show cannot be noted.
  await expect(page.getByRole('button', { name: 'Did not come' })).toBeHidden();
  await expect(lines(page)).toHaveCount(1);

  await page.getByRole('button', { name: 'Move' }).click();
  const moveDialog = page.getByRole('dialog', { name: 'Move the appointment' });
  await chooseDay(moveDialog);
  await chooseSlot(moveDialog, 'last');
  await moveDialog.getByRole('button', { name: 'Move appointment' }).click();
  await expect(page.getByText('Appointment moved', { exact: true })).toBeVisible();
  await expect(lines(page).first()).toContainText('An appointment was moved');
  await expect(lines(page).first()).toContainText(/from .* to /);

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Cancel appointment' }).click();
  const cancelDialog = page.getByRole('alertdialog');
  await expect(cancelDialog.getByLabel('Tell the patient the reason')).toBeHidden();
  await cancelDialog.getByLabel('Why?').selectOption('The practitioner is ill');
  await expect(cancelDialog.getByLabel('Tell the patient the reason')).not.toBeChecked();
  await cancelDialog.getByLabel('Why?').selectOption('Another reason');
  await cancelDialog.getByRole('button', { name: 'Cancel appointment' }).click();
  await expect(cancelDialog.getByText('Write the reason')).toBeVisible();
  await expect(cancelDialog.getByLabel('Another reason')).toBeFocused();
  await page.keyboard.type(CANCEL_REASON);
  await cancelDialog.getByRole('button', { name: 'Cancel appointment' }).click();
  await expect(page.getByText('Appointment canceled', { exact: true })).toBeVisible();
  await expect(page.getByText(`It was canceled: “${CANCEL_REASON}” (not told to the patient)`)).toBeVisible();
  await expect(lines(page).first()).toContainText('An appointment was canceled');
  await expect(lines(page).first()).toContainText(`“${CANCEL_REASON}” (not told to the patient)`);
  await expect(page.getByRole('link', { name: 'Join by video' })).toBeHidden();
  await expect(page.getByRole('button', { name: /Move|Did not come/ })).toHaveCount(0);
  await page.getByRole('button', { name: 'More actions' }).click();
  await expect(page.getByRole('menuitem')).toHaveText(['Follow up']);
  expect(await api.call<AppointmentView>(`/appointments/${appointment.id}`)).toMatchObject({
    status: 'canceled',
    cancel_reason: CANCEL_REASON,
    cancel_reason_told: false,
  });

  // Undone, it is another appointment, to which the page leads.
  const mistaken = await api.book(patient.id);
  await page.goto(`/appointments/${mistaken.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Cancel appointment' }).click();
  await cancelDialog.getByRole('button', { name: 'Cancel appointment' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('link', { name: 'Join by video' })).toBeVisible();
  const [again] = await api.appointmentsOf(patient.id);
  expect(again).toMatchObject({ from_date: mistaken.from_date });
  await expect(page).toHaveURL(new RegExp(`/appointments/${again!.id}$`));
  await api.cancelAppointment(again!.id);
});

test.describe('a clinic where it is noon', () => {
  // An appointment that began some minutes ago is part of the clinic's current day, at any time of the run.
  const noon = noonTimeZone();
  test.use({ timezoneId: noon });
  let savedSettings: ClinicSettings;
  test.beforeEach(async ({ page, signIn }) => {
    await signIn('admin');
    savedSettings = await readClinic(page);
    await saveClinic(page, { ...savedSettings, time_zone: noon });
  });
  test.afterEach(async ({ page, signIn }) => {
    // Other tests use the same clinic.
    await signIn('admin');
    await saveClinic(page, savedSettings);
  });

  test('a no-show is noted and undone, then the patient checks in, and the appointment takes place', async ({
    page,
    signIn,
    api,
  }) => {
    const { appointment } = await bookAppointmentIn(-1, api);
    const read = () => api.call<AppointmentView>(`/appointments/${appointment.id}`);
    await signIn('practitioner');
    await page.goto('/?whose=all');
    const table = page.getByRole('table', { name: 'Appointments today' });
    const link = page.locator(`a[href="/appointments/${appointment.id}"]`);
    await table.locator(link).click();
    await expect(page.getByText('It takes place now.')).toBeVisible();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Did not come' }).click();
    await expect(page.getByText('Noted that the patient did not come')).toBeVisible();
    await expect(
      page.getByText(/The patient did not come\. Acuity gets this at .*until then it can be undone/),
    ).toBeVisible();
    await expect(lines(page).first()).toContainText('The patient did not come to an appointment');
    expect(await read()).toMatchObject({ status: 'no_show' });
    await page.getByRole('button', { name: 'Undo “Did not come”' }).click();
    await expect(page.getByText('It takes place now.')).toBeVisible();
    await expect(lines(page).first()).toContainText('“Did not come” was undone');

    await page.goto('/?whose=all');
    const row = table.getByRole('row').filter({ has: link });
    await row.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Check in' }).click();
    await expect(row.getByText('Checked in')).toBeVisible();
    await row.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Took place' }).click();
    await expect(row.getByText('Took place')).toBeVisible();
    expect(await read()).toMatchObject({
      status: 'scheduled',
      checked_in_at: expect.any(String),
      completed_at: expect.any(String),
    });
    await page.goto('/appointments?view=all&attendance=completed');
    const listed = page.getByRole('table', { name: 'Appointments' });
    await expect(listed.locator(`a[href="/appointments/${appointment.id}"]`)).toBeVisible();
  });

  test('Today shows that a patient was never in the call, from where a no-show is noted', { tag: '@prove' }, async ({
    page,
    signIn,
    api,
  }) => {
    const { appointment } = await bookAppointmentIn(-17, api);
    const { appointment: earlier } = await bookAppointmentIn(-2 * 24 * 60, api);
    await signIn('practitioner');
    const response = await page.request.post('/api/trpc/visits.enterAsStaff', {
      headers: PORTAL_HEADERS,
      data: { id: appointment.id },
    });
    expect(response.status()).toBe(200);
    await page.goto('/?whose=all');
    const rowOf = ({ id }: AppointmentView) =>
      page
        .getByRole('region', { name: 'Did they come?' })
        .getByRole('listitem')
        .filter({ has: page.locator(`a[href="/appointments/${id}"]`) });
    const row = rowOf(appointment);
    await expect(row.getByText('The patient was never in the call')).toBeVisible();
    await row.getByRole('button', { name: 'Did not come' }).click();
    await expect(page.getByText('Noted that the patient did not come')).toBeVisible();
    // It stays in its place, so that a second click marks no other appointment.
    await expect(row.getByText('Did not come')).toBeVisible();
    await expect(row.getByRole('button')).toHaveCount(0);
    // So does one of the days before, which the server lists no longer.
    await page.getByText(/from the last 7 days$/).click();
    await rowOf(earlier).getByRole('button', { name: 'Took place' }).click();
    await expect(rowOf(earlier).getByText('Took place')).toBeVisible();
    await expect(rowOf(earlier).getByRole('button')).toHaveCount(0);
    expect(await api.call<AppointmentView>(`/appointments/${earlier.id}`)).toMatchObject({
      completed_at: expect.any(String),
    });
  });
});

test('the page of an appointment warns that the patient cannot enter without a date of birth', {
  tag: '@prove',
}, async ({ page, signIn, api }) => {
  const patient = await api.createPatient();
  const appointment = await api.book(patient.id);
  await signIn('practitioner');
  await page.goto(`/appointments/${appointment.id}`);
  const warning = page.getByText(/This patient cannot enter the visit/);
  await expect(page.getByRole('link', { name: 'Join by video' })).toBeVisible();
  await expect(warning).toBeHidden();
  // The setting is the whole clinic's, which other tests use: only the response to this page is changed.
  await page.route(/\/api\/trpc\/[^?]*appointments\.show(,|\?)/, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    for (const { result } of [json].flat()) if (result?.data?.visit) result.data.lacks_date_of_birth = true;
    await route.fulfill({ response, json });
  });
  await page.reload();
  await expect(warning).toBeVisible();
  await expect(warning.getByRole('link')).toHaveAttribute('href', `/patients/${patient.id}`);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('changes by others to an appointment show on its page at once', async ({ page, signIn, api }) => {
  const appointment = await api.book((await api.createPatient()).id);
  await signIn('practitioner');
  const listening = page.waitForResponse(/\/api\/live/);
  await page.goto(`/appointments/${appointment.id}`);
  await expect(page.getByText('Booked', { exact: true }).first()).toBeVisible();
  await expect(lines(page)).toHaveCount(1);
  await listening;
  await api.call(`/appointments/${appointment.id}/cancel`, { reason: CANCEL_REASON });
  await expect(page.getByText(`It was canceled: “${CANCEL_REASON}” (the patient can read it)`)).toBeVisible({
    timeout: 30_000,
  });
  await expect(lines(page)).toHaveCount(2);
});

test('the page of an unknown appointment says so and links to the list', { tag: '@prove' }, async ({
  page,
  signIn,
  watch,
}) => {
  watch.allow(/404|422/);
  await signIn('practitioner');
  for (const id of ['00000000-0000-7000-8000-000000000000', 'nonsense']) {
    await page.goto(`/appointments/${id}`);
    await expect(page.getByText('There is no such appointment')).toBeVisible();
  }
  await page.getByRole('link', { name: 'All appointments' }).click();
  await expect(page).toHaveURL(/\/appointments$/);
});

test('while Acuity has not confirmed a cancellation, the page of the appointment says so', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const appointment = await api.book((await api.createPatient()).id);
  const pending = JSON.stringify({ kind: 'cancel', unknown: false, endedBy: { actor: {} } });
  await inServedDatabase('update appointments set pending_change = $2::jsonb where id = $1', [appointment.id, pending]);
  await signIn('practitioner');
  await page.goto(`/appointments/${appointment.id}`);
  await expect(page.getByText(/Acuity has not said yet whether the appointment is canceled/)).toBeVisible();
  await inServedDatabase('update appointments set pending_change = null where id = $1', [appointment.id]);
  await expect(page.getByText(/Acuity has not said yet/)).toBeHidden({ timeout: 30_000 });
});

test('practitioners are shown with their calendars, and link to their appointments', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const appointment = await api.book((await api.createPatient()).id);
  await signIn('practitioner');
  await page.goto('/');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Practitioners' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Practitioners' })).toBeVisible();
  const card = page.getByRole('region', { name: appointment.calendar, exact: true }).first();
  await expect(card.getByText(appointment.appointment_type).first()).toBeVisible();
  await expect(card.getByText('Next:')).toBeVisible();
  await card.getByRole('link', { name: /upcoming appointment/ }).click();
  await expect(page).toHaveURL(/\/appointments\?with=/);
  const rows = page.getByRole('table', { name: 'Appointments' }).getByRole('row');
  await expect(rows.filter({ hasText: appointment.calendar }).first()).toBeVisible();
  await expect(page.getByLabel('Practitioner')).not.toHaveValue('');
});

test.describe('a reader in another time zone', () => {
  test.use({ timezoneId: 'Europe/Berlin' });

  test('sees the time of an appointment in their zone and in the calendar’s, each by name', { tag: '@prove' }, async ({
    page,
    signIn,
    api,
  }) => {
    const appointment = await api.book((await api.createPatient()).id);
    await signIn('practitioner');
    await page.goto(`/appointments/${appointment.id}`);
    const timeCard = page.getByRole('region', { name: 'When it is' });
    await expect(timeCard.getByRole('term')).toHaveText(['On your clock, Berlin', /^On the calendar’s clock, /]);
    const formatHour = (timeZone: string) =>
      new Date(appointment.from_date).toLocaleTimeString('en-US', { timeZone, hour: 'numeric', minute: '2-digit' });
    for (const zone of ['Europe/Berlin', appointment.time_zone])
      await expect(timeCard).toContainText(formatHour(zone).replaceAll('\u202f', ' '));
  });
});
