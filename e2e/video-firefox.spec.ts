import puppeteer from 'puppeteer-core';
import { bookAppointmentIn } from './appointment-now.ts';
import {
  closeCalls,
  codeOn,
  expectMedia,
  joinAsStaff,
  openWithDevices,
  practitionerContext,
  recordPeers,
  runningCameras,
  WITH_DEVICES,
} from './call.ts';
import { expect, test } from './fixtures.ts';

const FIREFOX = process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr';

/** Two browsers that encode video on the CPU delay presses; how long says nothing about the call. */
const ACTION_TIMEOUT_MS = 45_000;

test.use({ launchOptions: WITH_DEVICES, actionTimeout: ACTION_TIMEOUT_MS });
test.slow();
test.afterEach(({ browser, context }) => closeCalls(browser, context));

test('a patient with Firefox and a practitioner with Chromium see, hear and write to each other', {
  tag: '@prove',
}, async ({ api, browser, watch, sessionOf }) => {
  const booked = await bookAppointmentIn(5, api);
  // The released browser, over WebDriver BiDi; the driver of the other tests supports only its own builds.
  const firefox = await puppeteer.launch({
    browser: 'firefox',
    executablePath: FIREFOX,
    extraPrefsFirefox: { 'media.navigator.streams.fake': true, 'media.navigator.permission.disabled': true },
  });
  try {
    const guest = await firefox.newPage();
    guest.setDefaultTimeout(ACTION_TIMEOUT_MS);
    const errors: string[] = [];
    guest.on('pageerror', (error) => errors.push(String(error)));
    guest.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await guest.evaluateOnNewDocument(recordPeers);
    await guest.goto(booked.appointment.video_call_url);
    const press = (name: string) => guest.locator(`button ::-p-text(${name})`).click();
    const waitForText = (text: string) => guest.locator(`::-p-text(${text})`).wait();
    const codeOfGuest = () =>
      guest.evaluate(() => document.querySelector('[data-call-code]')?.getAttribute('data-call-code') ?? '');
    await press('Go to the waiting room');
    await waitForText('You are in the waiting room');

    const staff = await openWithDevices(browser, watch, await practitionerContext(sessionOf));
    await joinAsStaff(staff, booked);
    await staff.getByRole('button', { name: 'Let them in' }).click();
    await Promise.all([expectMedia(guest), expectMedia(staff)]);
    const code = await codeOn(staff);
    expect(code).toMatch(/^\w+ \w+ \w+ \w+$/);
    await expect.poll(codeOfGuest).toBe(code);

    await press('Chat');
    await guest.locator('[role=log] ~ * textarea, [role=log] ~ * input').fill('Which pills do you mean?');
    await guest.keyboard.press('Enter');
    await expect(staff.getByRole('button', { name: /Chat.*1 new/ })).toBeVisible();

    await guest.reload();
    await Promise.all([expectMedia(guest), expectMedia(staff)]);
    await expect.poll(async () => (await codeOfGuest()) === (await codeOn(staff))).toBe(true);
    expect(await codeOn(staff)).not.toBe(code);

    await staff.getByRole('button', { name: 'Leave' }).click();
    await staff.getByRole('menuitem', { name: 'End the visit for both' }).click();
    await waitForText('The visit is over');
    expect(await runningCameras(guest), 'the light is off').toBe(0);
    expect(errors).toEqual([]);
  } finally {
    await firefox.close();
  }
});
