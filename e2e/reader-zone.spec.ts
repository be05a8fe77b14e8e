import { nameOf } from './api.ts';
import { faultsOf } from './faults-of-layout.ts';
import { expect, test } from './fixtures.ts';

// The clinic's calendars are in New York.
test.use({ timezoneId: 'UTC' });

test('a visit is said the same way in its row, in questions about it and in the palette', async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient('Wren');
  const { from_date } = await api.book(patient.id);
  const time = (timeZone: string) =>
    new Date(from_date).toLocaleTimeString('en-US', { timeZone, hour: 'numeric', minute: '2-digit' });
  const day = new Date(from_date).toLocaleDateString('en-US', { timeZone: 'UTC', month: 'short', day: 'numeric' });
  const said = new RegExp(`${day}, \\d{4}\\D*${time('UTC')}\\s\\(.*${time('America/New_York')} in New York\\)`);
  await signIn('admin');
  await page.goto(`/patients/${patient.id}`);
  const row = page.getByRole('table', { name: /^Visits of/ }).getByRole('row', { name: /Booked/ });
  await expect(row.locator('td').filter({ has: page.locator('time') })).toHaveText(
    new RegExp(`${day}, \\d{4}.*${time('UTC')}\\s\\(.*${time('America/New_York')} in New York\\)`),
  );
  await row.getByRole('button', { name: 'Visit actions' }).click();
  await page.getByRole('menuitem', { name: 'Cancel visit' }).click();
  await expect(page.getByRole('alertdialog', { name: said })).toBeVisible();
  await page.getByRole('button', { name: 'Keep visit' }).click();
  await row.getByRole('button', { name: 'Visit actions' }).click();
  await page.getByRole('menuitem', { name: 'Move to another time' }).click();
  await expect(page.getByRole('dialog', { name: 'Move the visit' }).getByText(said)).toBeVisible();
  await page.getByRole('button', { name: 'Keep the time' }).click();

  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox').last().fill(nameOf(patient));
  await expect(page.getByRole('option', { name: said })).toBeVisible();
});

test('dates take two lines of a table at most, with the calendar’s own clock beside them', async ({
  page,
  signIn,
  api,
}) => {
  const patient = await api.createPatient('Wren');
  await api.book(patient.id);
  await signIn('admin');
  for (const [path, table] of [
    ['/', 'Visits of the next days'],
    ['/appointments', 'Appointments'],
    [`/patients/${patient.id}`, `Visits of ${nameOf(patient)}`],
  ] as const) {
    await page.goto(path);
    await page.getByRole('table', { name: table }).waitFor();
    await page.waitForLoadState('networkidle');
    for (const width of [768, 900, 1024, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect.soft(await faultsOf(page), `${path} at ${width} px`).toEqual([]);
    }
  }
});
