import { expectAccessible } from './accessible.ts';
import { patientName } from './api.ts';
import { expect, test } from './fixtures.ts';
import { hidden, press } from './press.ts';

test('a patient’s page shows the whole timeline, and prints without buttons', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient('Wren');
  const name = patientName(patient);
  const canceled = await api.book(patient.id);
  await api.cancelAppointment(canceled.id);
  const appointment = await api.book(patient.id);
  const ended = await api.subscribe(patient.id, 'trial');
  await api.call(`/subscriptions/${ended.id}/cancel`, {});
  const unpaid = await api.subscribe(patient.id, 'paid');
  await api.call(`/subscriptions/${unpaid.id}/cancel`, {});
  const active = await api.subscribe(patient.id, 'paid');

  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  const upcoming = page.getByRole('table', { name: `Appointments of ${name}` });
  await expect(upcoming.getByRole('row', { name: /Booked/ })).toHaveCount(1);
  const pastAppointments = page.getByRole('table', { name: `Past and canceled, ${name}` });
  await expect(pastAppointments.getByRole('row', { name: /Canceled/ })).toHaveCount(1);
  const subscriptions = page.getByRole('table', { name: `Subscriptions of ${name}` });
  // One was never paid; it counts as canceled.
  await expect(subscriptions.getByRole('row', { name: /Ended .*20\d\d.*Canceled/ })).toHaveCount(2);
  await expect(subscriptions.getByRole('row', { name: /Awaiting payment/ })).toHaveCount(1);
  await expect(page.getByText('Links sent')).toHaveCount(0);

  await subscriptions
    .getByRole('row', { name: /Awaiting/ })
    .getByRole('button', { name: 'Payment link' })
    .click();
  const dialog = page.getByRole('dialog', { name: 'Payment link' });
  await dialog.getByRole('button', { name: /mail it to the patient/ }).click();
  await expect(dialog.getByRole('status').filter({ hasText: `Sent to ${patient.email}` })).toBeVisible();
  await press(page, 'Escape', hidden(dialog));
  const links = page.getByRole('region', { name: 'Links sent' });
  await expect(links.getByRole('listitem')).toHaveText(new RegExp(`Payment link.*to ${patient.email}.*Open`));
  await expectAccessible(page);

  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('button')).toHaveCount(0);
  await expect(page.getByRole('navigation')).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  for (const table of [upcoming, pastAppointments, subscriptions]) await expect(table).toBeVisible();
  await expect(links).toBeVisible();
  await page.emulateMedia({ media: 'screen' });
  await api.cancelAppointment(appointment.id);
  await api.call(`/subscriptions/${active.id}/cancel`, {});
});
