import { expectAccessible } from './accessible.ts';
import { patientName } from './api.ts';
import { bookAppointmentIn, rescheduleAppointment } from './appointment-now.ts';
import {
  closeCalls,
  connectCall,
  goToWaitingRoom,
  inCall,
  joinAsStaff,
  openWithDevices,
  practitionerContext,
  runningCameras,
  WITH_DEVICES,
} from './call.ts';
import { expect, test } from './fixtures.ts';

test.use({ launchOptions: WITH_DEVICES });
test.slow();
test.afterEach(({ browser, context }) => closeCalls(browser, context));

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true };
const TWO_DAYS_MIN = 2 * 24 * 60;
const MOVED = 'This appointment was moved while you were here. It is now at the time below.';
/** Well before the page's own polling. */
const SOON = { timeout: 30_000 };

test('a waiting patient sees that the appointment was moved, within its time and beyond, or canceled', {
  tag: '@prove',
}, async ({ api, browser, watch }) => {
  const booked = await bookAppointmentIn(5, api);
  const guest = await openWithDevices(browser, watch, PHONE);
  await guest.addInitScript(() => {
    const release = async () => void Object.assign(window, { isKeptOn: false });
    const request = async () => Object.assign(window, { isKeptOn: true }) && { release };
    Object.defineProperty(navigator, 'wakeLock', { value: { request } });
  });
  const isKeptOn = () => guest.evaluate(() => (window as unknown as { isKeptOn?: boolean }).isKeptOn);
  await goToWaitingRoom(guest, booked.appointment.video_call_url);
  await expect.poll(isKeptOn, 'a locked phone would leave the waiting room').toBe(true);
  await rescheduleAppointment(booked, 10);
  await expect(guest.getByText(MOVED)).toBeVisible(SOON);
  await expect(guest.getByRole('heading', { level: 1, name: 'You are in the waiting room' })).toBeVisible();
  await expectAccessible(guest);

  await rescheduleAppointment(booked, TWO_DAYS_MIN);
  await expect(guest.getByText(/The waiting room opens at/)).toBeVisible(SOON);
  await expect(guest.getByText(MOVED)).toBeFocused();
  expect(await runningCameras(guest), 'the light is off').toBe(0);
  expect(await isKeptOn()).toBe(false);
  await expectAccessible(guest);
  await guest.reload();
  await expect(guest.getByText('This appointment was moved. It is now at the time below.')).toBeVisible();

  const other = await bookAppointmentIn(5, api);
  // In the same tab, where only the fragment changes: the page reads it automatically.
  await goToWaitingRoom(guest, other.appointment.video_call_url);
  await api.cancelAppointment(other.appointment.id);
  await expect(guest.getByRole('heading', { level: 1, name: 'This appointment was canceled' })).toBeVisible(SOON);
  expect(await runningCameras(guest), 'the light is off').toBe(0);
  await expectAccessible(guest);
});

test('two reloads in a row lead back into the call, with camera and microphone still off', { tag: '@prove' }, async ({
  api,
  browser,
  watch,
  sessionOf,
}) => {
  const { guest, staff } = await connectCall(await bookAppointmentIn(5, api), { browser, watch, sessionOf });
  for (const page of [guest, staff]) {
    await page.getByRole('button', { name: 'Mute' }).click();
    await page.getByRole('button', { name: 'Stop camera' }).click();
    // Does not wait for the responses of the first reload.
    const enterRequest = page.waitForRequest(/visits\.enter/);
    await page.reload({ waitUntil: 'commit' });
    await enterRequest;
    await page.reload();
    await expect(inCall(page)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Unmute' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Start camera' })).toBeVisible();
    expect(await runningCameras(page), 'the light stays off').toBe(0);
  }
});

test('a patient who leaves is shown as absent, and can be admitted again', { tag: '@prove' }, async ({
  api,
  browser,
  watch,
  sessionOf,
}) => {
  const booked = await bookAppointmentIn(5, api);
  const { guest, staff } = await connectCall(booked, { browser, watch, sessionOf });
  const patient = patientName(booked.patient);
  await guest.getByRole('button', { name: 'Leave' }).click();
  await expect(guest.getByRole('heading', { level: 1, name: 'You have left the visit' })).toBeFocused();
  await expect(staff.getByRole('heading', { name: `${patient} is not here any more` })).toBeFocused();
  await expect(staff.getByRole('button', { name: 'Let them in' })).toBeDisabled();
  await expectAccessible(staff);
  await guest.getByRole('button', { name: 'Come back' }).click();
  await expect(staff.getByRole('heading', { name: `${patient} is waiting` })).toBeVisible();
  await staff.getByRole('button', { name: 'Let them in' }).click();
  for (const page of [guest, staff]) await expect(inCall(page)).toBeVisible();
});

test('those who wait see that their page has lost the service, until it is back', { tag: '@prove' }, async ({
  api,
  browser,
  watch,
  sessionOf,
}) => {
  const booked = await bookAppointmentIn(5, api);
  const guest = await openWithDevices(browser, watch, PHONE);
  await goToWaitingRoom(guest, booked.appointment.video_call_url);
  const staff = await openWithDevices(browser, watch, await practitionerContext(sessionOf));
  await joinAsStaff(staff, booked);
  const patient = patientName(booked.patient);
  const waiting = guest.getByRole('heading', { level: 1, name: 'You are in the waiting room' });
  const isWaiting = staff.getByRole('heading', { name: `${patient} is waiting` });
  watch.allow(/ERR_INTERNET_DISCONNECTED/);
  for (const page of [guest, staff]) await page.context().setOffline(true);
  await expect(guest.getByRole('heading', { level: 1, name: 'Your connection is lost' })).toBeVisible(SOON);
  await expect(staff.getByRole('heading', { name: 'Your connection is lost' })).toBeVisible(SOON);
  await expect(staff.getByRole('button', { name: 'Let them in' })).toBeDisabled();
  await expectAccessible(guest);
  for (const page of [guest, staff]) await page.context().setOffline(false);
  await expect(waiting).toBeVisible(SOON);
  await expect(isWaiting).toBeVisible(SOON);
  await staff.getByRole('button', { name: 'Let them in' }).click();
  for (const page of [guest, staff]) await expect(inCall(page)).toBeVisible();
});
