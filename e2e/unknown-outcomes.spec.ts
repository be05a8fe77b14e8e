import { nameOf } from './api.ts';
import { chooseDay, chooseTime } from './choose-time.ts';
import { clearFaults, plantFault } from './faults.ts';
import { expect, test } from './fixtures.ts';

/** As the webhook of any visit has it read, that of an earlier journey too: counted faults might be met by those. */
const ONE = { method: 'GET', path: '/api/v1/appointments/:id' };
const UNTIL_CLEARED = 1000;
/** One calendar's days are listed for an outcome; comparing, which has its own times, lists those of all. */
const LOOK_UP = { method: 'GET', path: '/api/v1/appointments', query: { calendarID: '*' } };

test.afterEach(async () => {
  await clearFaults('acuity');
  await clearFaults('stripe');
});

test('a booking whose outcome nobody knows is found out by the page, once', async ({ page, signIn, api, watch }) => {
  watch.allow(/50[234]/);
  const patient = await api.createPatient();
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'Book visit' }).click();
  const dialog = page.getByRole('dialog', { name: /^Book a visit/ });
  await dialog.getByLabel('Visit type').click();
  await page.getByRole('option', { name: /Follow-up visit/ }).click();
  // Of today only one may be left, and be past its notice by the time that the outcome is found out.
  await chooseDay(dialog);
  await chooseTime(dialog, 'last');
  // Acuity books, its answer is lost, and it cannot be asked what it did.
  await plantFault('acuity', { kind: 'reset_after', match: { method: 'POST', path: '/api/v1/appointments' } });
  await plantFault('acuity', { kind: '503', match: LOOK_UP, times: UNTIL_CLEARED });
  // Its webhook would tell, and sooner than the answer that nobody knows.
  await plantFault('acuity', { kind: '503', match: ONE, times: UNTIL_CLEARED });
  await dialog.getByRole('button', { name: /^Book / }).click();
  await expect(dialog.getByText('We are checking with Acuity whether the visit is booked.')).toBeVisible();
  await clearFaults('acuity');
  await expect(dialog).not.toContainText('Idempotency-Key');
  await expect(page.getByText('Visit booked')).toBeVisible({ timeout: 30_000 });
  await expect(dialog).toBeHidden();
  const visits = await api.visitsOf(patient.id);
  expect(visits).toHaveLength(1);
  await api.cancelVisit(visits[0]!.id);
});

test('a dialog that is closed meanwhile leaves the finding out to the page, which says it', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
  watch,
}) => {
  watch.allow(/50[234]/);
  const patient = await api.createPatient();
  const visit = await api.book(patient.id);
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  await page.getByRole('button', { name: 'Visit actions' }).first().click();
  await page.getByRole('menuitem', { name: 'Cancel visit' }).click();
  const question = page.getByRole('alertdialog');
  await plantFault('acuity', {
    kind: 'reset_before',
    match: { method: 'PUT', path: '/api/v1/appointments/:id/cancel' },
  });
  await plantFault('acuity', { kind: '503', match: ONE, times: UNTIL_CLEARED });
  await question.getByRole('button', { name: 'Cancel visit' }).click();
  await expect(question.getByText('We are checking with Acuity whether the visit is canceled.')).toBeVisible();
  await clearFaults('acuity');
  await question.getByRole('button', { name: 'Keep visit' }).click();
  await expect(question).toBeHidden();
  await expect(page.getByText('Visit canceled', { exact: true })).toBeVisible({ timeout: 30_000 });
  expect(await api.call(`/appointments/${visit.id}`)).toMatchObject({ status: 'canceled' });
});

test('a subscription whose outcome nobody knows is found out by the page, once', { tag: '@prove' }, async ({
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
  const dialog = page.getByRole('dialog', { name: `New subscription for ${nameOf(patient)}` });
  await dialog
    .getByRole('radio', { name: /Essential care/ })
    .first()
    .click();
  // The client library tries a lost connection once more by itself.
  await plantFault('stripe', { kind: 'reset_after', match: { method: 'POST', path: '/v1/subscriptions' }, times: 2 });
  await dialog.getByRole('button', { name: 'Create subscription' }).click();
  await expect(dialog.getByText('We are checking with Stripe whether the subscription was made.')).toBeVisible();
  await expect(page.getByRole('dialog', { name: 'Subscription created' })).toBeVisible({ timeout: 30_000 });
  const made = await api.call<unknown[]>(`/subscriptions?patient_id=${patient.id}`);
  expect(made).toHaveLength(1);
});
