import { patientName } from './api.ts';
import { chooseDay, chooseSlot } from './choose-slot.ts';
import { expect, test } from './fixtures.ts';
import { addFault, clearFaults } from './provider-faults.ts';

/** Each webhook of an appointment causes this request, also those of earlier tests, so faults must not be counted. */
const GET_APPOINTMENT = { method: 'GET', path: '/api/v1/appointments/:id' };
const UNTIL_CLEARED = 1000;
/** The request that resolves an outcome, for one calendar; the scheduled comparison lists all calendars. */
const LIST_APPOINTMENTS = { method: 'GET', path: '/api/v1/appointments', query: { calendarID: '*' } };

test.afterEach(async () => {
  await clearFaults('acuity');
  await clearFaults('stripe');
});

test('the page resolves the unknown outcome of a booking, once', async ({ page, signIn, api, watch }) => {
  watch.allow(/50[234]/);
  const patient = await api.createPatient();
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'Book appointment' }).click();
  const dialog = page.getByRole('dialog', { name: /^Book an appointment/ });
  await dialog.getByLabel('Appointment type').click();
  await page.getByRole('option', { name: /Follow-up visit/ }).click();
  // Today may have only one slot left, which may be too close by the time that the outcome is known.
  await chooseDay(dialog);
  await chooseSlot(dialog, 'last');
  // Acuity books, its response is lost, and it cannot be queried about the outcome.
  await addFault('acuity', { kind: 'reset_after', match: { method: 'POST', path: '/api/v1/appointments' } });
  await addFault('acuity', { kind: '503', match: LIST_APPOINTMENTS, times: UNTIL_CLEARED });
  // Its webhook would report the booking sooner than the response with the unknown outcome.
  await addFault('acuity', { kind: '503', match: GET_APPOINTMENT, times: UNTIL_CLEARED });
  await dialog.getByRole('button', { name: /^Book / }).click();
  await expect(dialog.getByText('We are checking with Acuity whether the appointment is booked.')).toBeVisible();
  await clearFaults('acuity');
  await expect(dialog).not.toContainText('Idempotency-Key');
  await expect(page.getByText('Appointment booked')).toBeVisible({ timeout: 30_000 });
  await expect(dialog).toBeHidden();
  const appointments = await api.appointmentsOf(patient.id);
  expect(appointments).toHaveLength(1);
  await api.cancelAppointment(appointments[0]!.id);
});

test('the page resolves and reports the outcome when the dialog was closed', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
  watch,
}) => {
  watch.allow(/50[234]/);
  const patient = await api.createPatient();
  const appointment = await api.book(patient.id);
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await page
    .getByRole('table', { name: /^Appointments of/ })
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Cancel appointment' }).click();
  const question = page.getByRole('alertdialog');
  await addFault('acuity', {
    kind: 'reset_before',
    match: { method: 'PUT', path: '/api/v1/appointments/:id/cancel' },
  });
  await addFault('acuity', { kind: '503', match: GET_APPOINTMENT, times: UNTIL_CLEARED });
  await question.getByRole('button', { name: 'Cancel appointment' }).click();
  await expect(question.getByText('We are checking with Acuity whether the appointment is canceled.')).toBeVisible();
  await clearFaults('acuity');
  await question.getByRole('button', { name: 'Keep appointment' }).click();
  await expect(question).toBeHidden();
  await expect(page.getByText('Appointment canceled', { exact: true })).toBeVisible({ timeout: 30_000 });
  expect(await api.call(`/appointments/${appointment.id}`)).toMatchObject({ status: 'canceled' });
});

test('the page resolves the unknown outcome of a subscription, once', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
  watch,
}) => {
  watch.allow(/50[234]/);
  const patient = await api.createPatient();
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'New subscription' }).click();
  const dialog = page.getByRole('dialog', { name: `New subscription for ${patientName(patient)}` });
  await dialog
    .getByRole('radio', { name: /Essential care/ })
    .first()
    .click();
  // The client library retries a lost connection once.
  await addFault('stripe', { kind: 'reset_after', match: { method: 'POST', path: '/v1/subscriptions' }, times: 2 });
  await dialog.getByRole('button', { name: 'Create subscription' }).click();
  await expect(dialog.getByText('We are checking with Stripe whether the subscription was made.')).toBeVisible();
  await expect(page.getByRole('dialog', { name: 'Subscription created' })).toBeVisible({ timeout: 30_000 });
  const subscriptions = await api.call<unknown[]>(`/subscriptions?patient_id=${patient.id}`);
  expect(subscriptions).toHaveLength(1);
});
