import { patientName } from './api.ts';
import { expect, test } from './fixtures.ts';
import { press, visible } from './press.ts';

// The clinic's calendars are in other zones.
test.use({ timezoneId: 'UTC' });

test('an appointment’s time is formatted the same way in its row, in dialogs about it and in the palette', async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient('Wren');
  const { from_date, time_zone } = await api.book(patient.id);
  const city = time_zone.slice(time_zone.lastIndexOf('/') + 1).replace('_', ' ');
  const time = (timeZone: string) =>
    new Date(from_date).toLocaleTimeString('en-US', { timeZone, hour: 'numeric', minute: '2-digit' });
  const day = new Date(from_date).toLocaleDateString('en-US', { timeZone: 'UTC', month: 'short', day: 'numeric' });
  const formatted = new RegExp(`${day}, \\d{4}\\D*${time('UTC')}\\s\\(.*${time(time_zone)} in ${city}\\)`);
  await signIn('admin');
  await page.goto(`/patients/${patient.id}`);
  const row = page.getByRole('table', { name: /^Appointments of/ }).getByRole('row', { name: /Booked/ });
  await expect(row.locator('td').filter({ has: page.locator('time') })).toHaveText(
    new RegExp(`${day}, \\d{4}.*${time('UTC')}\\s\\(.*${time(time_zone)} in ${city}\\)`),
  );
  await row.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Cancel appointment' }).click();
  await expect(page.getByRole('alertdialog', { name: formatted })).toBeVisible();
  await page.getByRole('button', { name: 'Keep appointment' }).click();
  await row.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Move appointment' }).click();
  await expect(page.getByRole('dialog', { name: 'Move the appointment' }).getByText(formatted)).toBeVisible();
  await page.getByRole('button', { name: 'Keep it as it is' }).click();

  await expect(page.getByRole('dialog')).toBeHidden();
  await press(page, 'ControlOrMeta+k', visible(page.getByRole('combobox')));
  await page.getByRole('combobox').last().fill(patientName(patient));
  await expect(page.getByRole('option', { name: formatted })).toBeVisible();
});
