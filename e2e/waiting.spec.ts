import { patientName } from './api.ts';
import { bookAppointmentIn, noonTimeZone } from './appointment-now.ts';
import { openWithDevices, WITH_DEVICES } from './call.ts';
import { readClinic, saveClinic } from './clinic-settings.ts';
import { expect, test } from './fixtures.ts';
import { hidden, press } from './press.ts';
import { promised } from './prove.ts';

test.use({
  launchOptions: { ...WITH_DEVICES, args: [...WITH_DEVICES.args, '--autoplay-policy=no-user-gesture-required'] },
});

const SOON = { timeout: promised(5_000) };

test('a waiting patient shows on Today, rings unless that is off, is counted in the title, and is one press from the call', async ({
  page,
  signIn,
  browser,
  api,
  watch,
}) => {
  const { patient, appointment } = await bookAppointmentIn(5, api, 'Wren');
  await page.addInitScript(() => {
    const start = OscillatorNode.prototype.start;
    Object.assign(window, { tones: 0 });
    OscillatorNode.prototype.start = function (when) {
      Object.assign(window, { tones: (window as unknown as { tones: number }).tones + 1 });
      start.call(this, when);
    };
  });
  const tones = () => page.evaluate(() => (window as unknown as { tones: number }).tones);
  await signIn('admin');
  const listening = page.waitForResponse(/\/api\/live/);
  // A patient in the first list does not ring.
  const listed = page.waitForResponse(/visits\.waiting/);
  await page.goto('/');
  await Promise.all([listening, listed]);
  // A patient who waits in a page that another test closed still counts for a while.
  await expect(page).toHaveTitle(/^(\(\d+\) )?Today · Carelane$/);

  const guest = await openWithDevices(browser, watch);
  await guest.goto(appointment.video_call_url);
  await guest.getByRole('button', { name: 'Go to the waiting room' }).click();
  const waitingList = page.getByRole('region', { name: 'Patients waiting now' });
  const row = waitingList.getByRole('listitem').filter({ hasText: patientName(patient) });
  await expect(row).toBeVisible(SOON);
  await expect(page).toHaveTitle(/^\(\d+\) Today · Carelane$/);
  await expect.poll(tones).toBe(2);

  await page.getByRole('button', { name: 'When a patient waits' }).click();
  await page.getByRole('menuitemradio', { name: 'Off' }).click();
  await press(page, 'Escape', hidden(page.getByRole('menu')));

  if (process.env.PROVE) {
    // No event reports that a waiting patient left: the list is requested again after a while.
    await guest.getByRole('button', { name: 'Leave the waiting room' }).click();
    await expect(row).toBeHidden({ timeout: 14_000 });
    await guest.getByRole('button', { name: 'Come back' }).click();
    await expect(row).toBeVisible(SOON);
  }

  await row.getByRole('link', { name: 'Open the visit' }).click();
  await expect(page.getByRole('button', { name: 'Join the visit' })).toBeVisible();
  expect(await page.evaluate(() => navigator.mediaDevices.getUserMedia({ video: true }).then(() => 'given'))).toBe(
    'given',
  );
  await guest.context().close();
});

test('a patient who waits is marked in the row of the appointment, which leads to the page for staff', {
  tag: '@prove',
}, async ({ page, signIn, browser, api, watch, context }) => {
  const { appointment } = await bookAppointmentIn(5, api, 'Wren');
  await signIn('admin');
  const savedSettings = await readClinic(page);
  // The appointment is on the clinic's current day at any time of the run.
  await saveClinic(page, { ...savedSettings, time_zone: noonTimeZone() });
  await page.goto('/');
  const row = page
    .getByRole('table', { name: 'Appointments today' })
    .getByRole('row')
    .filter({ has: page.locator(`a[href="/appointments/${appointment.id}"]`) });
  const join = row.getByRole('link', { name: /^Join/ });
  await expect(join).toBeVisible();
  await expect(row.getByText('Waiting')).toBeHidden();
  const guest = await openWithDevices(browser, watch);
  await guest.goto(appointment.video_call_url);
  await guest.getByRole('button', { name: 'Go to the waiting room' }).click();
  await expect(row.getByText('Waiting')).toBeVisible(SOON);
  const opened = context.waitForEvent('page');
  await join.click();
  const call = await opened;
  await expect(call.getByRole('button', { name: 'Join the visit' })).toBeVisible();
  expect(new URL(call.url()).pathname).toBe(`/appointments/${appointment.id}/call`);
  await guest.context().close();
  await saveClinic(page, savedSettings);
});

test('only the pages of a call may use camera and microphone', async ({ page, signIn, watch }) => {
  watch.allow(/ermissions policy|not allowed/);
  await signIn('admin');
  await page.goto('/');
  const result = await page.evaluate(() =>
    navigator.mediaDevices.getUserMedia({ video: true }).then(
      () => 'given',
      (error: Error) => error.name,
    ),
  );
  expect(result).toBe('NotAllowedError');
});
