import type { Page } from '@playwright/test';
import type { SendSignalInput } from '#contract/visit-call.ts';
import { expectAccessible } from './accessible.ts';
import { patientName } from './api.ts';
import { bookAppointmentIn } from './appointment-now.ts';
import {
  closeCalls,
  codeOn,
  connectCall,
  expectBothMedia,
  expectMedia,
  goToWaitingRoom,
  inCall,
  joinAsStaff,
  measureCallSetup,
  openWithDevices,
  practitionerContext,
  receivedMedia,
  runningCameras,
  sentBitrateLimits,
  unplug,
  WITH_DEVICES,
} from './call.ts';
import { readCard } from './card.ts';
import { expectFits } from './fits.ts';
import { expect, test } from './fixtures.ts';
import { ASSERTS_SPEED } from './prove.ts';
import { stubVisit } from './stub-visit.ts';

test.use({ launchOptions: WITH_DEVICES });
test.slow();
test.afterEach(({ browser, context }) => closeCalls(browser, context));

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };
const SET_UP_MS = 3_000;
/** On a busy machine any call takes longer: the limit is this multiple of the current minimum. */
const MAX_MULTIPLE = 5;

/** Runs alone, because two browsers encode video and a time is promised (checked with `PROVE=1`). */
const ALONE = { tag: '@alone' };

/** Brings the page to the front first: only the front page is rendered. The long form also tries all widths. */
async function expectFrontAccessible(page: Page): Promise<void> {
  await page.bringToFront();
  await expectAccessible(page);
  if (!process.env.PROVE) return;
  const size = page.viewportSize()!;
  await expectFits(page);
  await page.setViewportSize(size);
}

test.describe('a video visit', () => {
  test(
    'a patient with a phone waits, is admitted, and both sides see, hear and write to each other',
    ALONE,
    async ({ api, browser, watch, sessionOf }) => {
      const booked = await bookAppointmentIn(5, api);
      const guest = await openWithDevices(browser, watch, PHONE);
      const staff = await openWithDevices(browser, watch, await practitionerContext(sessionOf));
      await goToWaitingRoom(guest, booked.appointment.video_call_url);
      expect(new URL(guest.url()).hash + new URL(guest.url()).pathname, 'the token leaves the address').toBe('/visit');
      await expect(
        guest.getByText(`You are let in when your visit with ${booked.appointment.calendar} begins`),
      ).toBeVisible();
      await expectFrontAccessible(guest);
      await joinAsStaff(staff, booked);
      await expectFrontAccessible(staff);
      expect((await receivedMedia(guest)).frames, 'no media is sent before the patient is admitted').toBe(0);

      const start = Date.now();
      await staff.getByRole('button', { name: 'Let them in' }).click();
      await Promise.all(
        [guest, staff].map((page) =>
          expect.poll(async () => (await receivedMedia(page)).frames, { intervals: [50] }).toBeGreaterThan(0),
        ),
      );
      const ms = Date.now() - start;
      const minimumMs = await measureCallSetup(staff);
      console.log(`call setup took ${ms} ms; the minimum on this machine is ${minimumMs.toFixed(0)} ms`);
      if (ASSERTS_SPEED) expect(ms).toBeLessThan(Math.max(SET_UP_MS, MAX_MULTIPLE * minimumMs));
      await expectBothMedia([guest, staff]);

      for (const page of [guest, staff]) await expect.poll(() => sentBitrateLimits(page)).toEqual([1_500_000]);

      const code = await codeOn(guest);
      expect(code).toMatch(/^\w+ \w+ \w+ \w+$/);
      expect(await codeOn(staff)).toBe(code);
      for (const page of [guest, staff]) await expectFrontAccessible(page);

      await guest.getByRole('button', { name: 'Chat' }).click();
      await guest.getByRole('textbox', { name: 'Message' }).fill('Which pills do you mean?');
      await guest.keyboard.press('Enter');
      await expect(staff.getByRole('button', { name: /Chat.*1 new/ })).toBeVisible();
      await staff.getByRole('button', { name: /Chat/ }).click();
      await expect(staff.getByRole('log')).toContainText('Which pills do you mean?');
      await staff.getByRole('textbox', { name: 'Message' }).fill('The white ones');
      await staff.getByRole('button', { name: 'Send' }).click();
      await expect(guest.getByRole('log')).toContainText('The white ones');
      for (const page of [guest, staff]) await expectFrontAccessible(page);
      const [picture, chat] = [guest.getByLabel('Picture of'), guest.getByRole('region', { name: 'Chat' })];
      const { y, height } = (await picture.boundingBox())!;
      expect(y + height, 'the chat hides no participant').toBeLessThanOrEqual((await chat.boundingBox())!.y + 1);
      await guest.setViewportSize({ width: 640, height: 360 });
      await expect(guest.getByText('The white ones'), 'on a phone held sideways').toBeInViewport();
      await guest.setViewportSize(PHONE.viewport);
      await guest.keyboard.press('Escape');
      await expect(guest.getByRole('log')).toBeHidden();

      const textColor = await inCall(staff).evaluate((bar) => getComputedStyle(bar).color);
      await staff.getByRole('button', { name: 'Leave' }).click();
      const end = staff.getByRole('menuitem', { name: 'End the visit for both' });
      await expect(end, 'in the dark theme of the call').toHaveCSS('color-scheme', 'dark');
      await expect(end).toHaveCSS('color', textColor);
      await end.click();
      await expect(guest.getByRole('heading', { level: 1, name: 'The visit is over' })).toBeFocused();
      await expect(staff.locator('body'), 'the page has its own theme again').toHaveCSS('color-scheme', 'light');
      await expect(staff.getByRole('heading', { name: 'The visit is over' })).toBeVisible();
      expect(await runningCameras(guest), 'the light is off').toBe(0);
      expect(await runningCameras(staff)).toBe(0);
      await expectFrontAccessible(guest);

      await staff.getByRole('button', { name: 'Join again' }).click();
      await expect(staff.getByLabel('Your camera', { exact: true })).toBeVisible();
      expect(await runningCameras(staff), 'the camera runs again after joining again').toBeGreaterThan(0);
    },
  );

  test('a camera that is off sends no picture, a muted microphone no sound, and a shared screen replaces the camera', {
    tag: '@prove',
  }, async ({ api, browser, watch, sessionOf }) => {
    const { staff, guest, appointment, patient } = await connectCall(await bookAppointmentIn(5, api), {
      browser,
      watch,
      sessionOf,
    });
    await expectBothMedia([guest, staff]);

    await guest.getByRole('button', { name: 'Stop camera' }).click();
    expect(await runningCameras(guest)).toBe(0);
    await expect(staff.getByText(`${patientName(patient)} is here, without a picture.`).first()).toBeVisible();
    await expect(staff.getByText(`${patientName(patient)} has the camera off`).first()).toBeVisible();
    await expectMedia(staff, 'sound');
    await guest.getByRole('button', { name: 'Start camera' }).click();
    await expect(staff.getByText(`${patientName(patient)} has the camera off`)).toHaveCount(0);
    await expect(staff.getByLabel(`Picture of ${patientName(patient)}`)).toBeVisible();
    await expectMedia(staff);

    await staff.getByRole('button', { name: 'Mute' }).click();
    await expect(staff.getByRole('button', { name: 'Unmute' })).toBeVisible();
    await expect(guest.getByText(`${appointment.calendar} is muted`).first()).toBeVisible();
    await expectFrontAccessible(guest);
    await expect
      .poll(async () => {
        const before = (await receivedMedia(guest)).energy;
        await guest.waitForTimeout(1_500);
        return (await receivedMedia(guest)).energy - before;
      })
      .toBeLessThan(1e-6);
    await staff.getByRole('button', { name: 'Unmute' }).click();
    await expect(guest.getByText(`${appointment.calendar} is muted`)).toHaveCount(0);
    await expectMedia(guest);

    await staff.getByRole('button', { name: 'Share screen' }).click();
    await expect(guest.getByLabel(`Screen of ${appointment.calendar}`)).toBeVisible();
    await expect(staff.getByText('You are showing your screen.')).toBeVisible();
    await staff.getByRole('button', { name: 'Stop sharing' }).click();
    await expect(guest.getByLabel(`Picture of ${appointment.calendar}`)).toBeVisible();
    await expectMedia(guest);
  });

  test('a reload of either side takes the seat again, with a new code', { tag: '@prove' }, async ({
    api,
    browser,
    watch,
    sessionOf,
  }) => {
    const { staff, guest } = await connectCall(await bookAppointmentIn(5, api), { browser, watch, sessionOf });
    await expectBothMedia([guest, staff]);
    const codes = [await codeOn(guest)];
    for (const page of [guest, staff]) {
      await page.reload();
      await expect(inCall(page)).toBeVisible();
      await expectBothMedia([guest, staff]);
      await expect.poll(async () => (await codeOn(staff)) === (await codeOn(guest))).toBe(true);
      codes.push(await codeOn(guest));
    }
    expect(new Set(codes).size).toBe(3);
  });

  test('a third participant cannot enter, and the call of the other two continues', { tag: '@prove' }, async ({
    api,
    browser,
    watch,
    sessionOf,
  }) => {
    const { staff, guest, appointment } = await connectCall(await bookAppointmentIn(5, api), {
      browser,
      watch,
      sessionOf,
    });
    watch.allow(/409/);
    const third = await openWithDevices(browser, watch);
    await third.goto(appointment.video_call_url);
    await third.getByRole('button', { name: 'Go to the waiting room' }).click();
    await expect(third.getByText(/open on another device already/)).toBeVisible();
    expect(await runningCameras(third), 'the light is off').toBe(0);
    await expectFrontAccessible(third);

    const colleague = await openWithDevices(browser, watch, {
      baseURL: readCard().portal_url,
      storageState: await sessionOf('admin'),
    });
    await colleague.goto(`/appointments/${appointment.id}/call`);
    await colleague.getByRole('button', { name: 'Join the visit' }).click();
    await expect(colleague.getByText(/in this visit already/)).toBeVisible();
    await expectBothMedia([guest, staff]);
  });

  test('a device is switched, and an unplugged one is reported, and replaced if possible', { tag: '@prove' }, async ({
    api,
    browser,
    watch,
    sessionOf,
  }) => {
    const { staff, guest } = await connectCall(await bookAppointmentIn(5, api), { browser, watch, sessionOf });
    await expectBothMedia([guest, staff]);
    await guest.getByRole('button', { name: 'More' }).click();
    await guest.getByRole('menuitem', { name: 'Camera and sound' }).click();
    const microphone = guest.getByRole('combobox', { name: 'Microphone' });
    await microphone.selectOption('Fake Audio Input 2');
    await expect(microphone.locator('option:checked'), 'the one that is in use').toHaveText('Fake Audio Input 2');
    await guest.keyboard.press('Escape');
    await expectMedia(staff);
    await unplug(guest, 'video');
    await expect(guest.getByText('Your camera has stopped. Is it still plugged in?')).toBeVisible();
    await guest.getByRole('button', { name: 'Start camera' }).click();
    await expectMedia(staff);
    await unplug(guest, 'audio');
    // Another microphone, or the same one again, automatically.
    await expectMedia(staff);
  });

  test('the call continues while the service is down, and changes are sent afterwards', {
    tag: '@prove',
  }, async ({ api, browser, watch, sessionOf }) => {
    const { staff, guest, patient } = await connectCall(await bookAppointmentIn(5, api), { browser, watch, sessionOf });
    await expectBothMedia([guest, staff]);
    watch.allow(/ERR_INTERNET_DISCONNECTED/);
    await guest.context().setOffline(true);
    await guest.getByRole('button', { name: 'Stop camera' }).click();
    await guest.waitForTimeout(5_000);
    await Promise.all([expectMedia(guest), expectMedia(staff, 'sound')]);
    await guest.context().setOffline(false);
    await expect(staff.getByText(`${patientName(patient)} is here, without a picture.`).first()).toBeVisible();
    await guest.getByRole('button', { name: 'Start camera' }).click();
    await expectBothMedia([guest, staff]);
  });

  test('a missing code is reported, because an attacker in between may have withheld it', {
    tag: '@prove',
  }, async ({ api, browser, watch, sessionOf }) => {
    const { staff, guest } = await connectCall(
      await bookAppointmentIn(5, api),
      { browser, watch, sessionOf },
      async (pages) => {
        for (const page of pages)
          await page.route('**/api/calls/signal', (route) => {
            const { signal } = route.request().postDataJSON() as SendSignalInput;
            return signal.kind === 'commit' ? route.fulfill({ status: 204 }) : route.continue();
          });
      },
    );
    for (const page of [guest, staff])
      await expect(page.getByText('We could not check that this call is private.')).toBeVisible({ timeout: 60_000 });
    await expectFrontAccessible(guest);
  });

  test('a patient who ignores the permission prompt for devices is in the waiting room, and informed of it', {
    tag: '@prove',
  }, async ({ api, browser, watch, sessionOf }) => {
    const booked = await bookAppointmentIn(5, api);
    const guest = await openWithDevices(browser, watch, PHONE);
    await guest.addInitScript(() => {
      navigator.mediaDevices.getUserMedia = () => new Promise(() => {});
    });
    const staff = await openWithDevices(browser, watch, await practitionerContext(sessionOf));
    await goToWaitingRoom(guest, booked.appointment.video_call_url);
    await expect(guest.getByText('Your browser may ask you to allow it')).toBeVisible();
    await joinAsStaff(staff, booked);
  });

  test('denied devices, and a browser without calls, are explained', async ({ api, browser, watch }) => {
    const { appointment } = await bookAppointmentIn(5, api);
    const denied = await openWithDevices(browser, watch, PHONE);
    await denied.addInitScript(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
    });
    await goToWaitingRoom(denied, appointment.video_call_url);
    await expect(denied.getByText(/does not let this page use the camera/)).toBeVisible();
    await expect(denied.getByText(/so no one can hear you/)).toBeVisible();
    await expectFrontAccessible(denied);

    const unsupported = await openWithDevices(browser, watch, PHONE);
    await unsupported.addInitScript(() => {
      Object.assign(window, { RTCPeerConnection: undefined });
    });
    await stubVisit(unsupported, () => ({ phone: '+13125550123' }));
    await unsupported.goto(appointment.video_call_url);
    await expect(
      unsupported.getByRole('heading', { level: 1, name: 'This browser cannot make video calls' }),
    ).toBeVisible();
    await expect(unsupported.getByText(/, or call .* at \+1 \(312\) 555-0123\.$/)).toBeVisible();
    await expectFrontAccessible(unsupported);
  });
});
