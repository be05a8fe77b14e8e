import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { patientName } from './api.ts';
import { bookAppointmentIn } from './appointment-now.ts';
import { closeCalls, expectBothMedia, inCall, openWithDevices, practitionerContext, WITH_DEVICES } from './call.ts';
import { expect, test } from './fixtures.ts';
import { hidden, press as pressUntil } from './press.ts';

test.use({ launchOptions: WITH_DEVICES });
test.slow();
test.afterEach(({ browser, context }) => closeCalls(browser, context));

const NARROW = { viewport: { width: 360, height: 740 } };
const MAX_STEPS = 60;
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

/** Moves the focus there by Tab alone, from any place on the page. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeEnabled();
  const isFocused = () => target.evaluate((element) => element === document.activeElement);
  for (let steps = 0; !(await isFocused()); steps += 1) {
    expect(steps, `${target} is reached by Tab`).toBeLessThan(MAX_STEPS);
    await page.keyboard.press('Tab');
  }
}
async function press(page: Page, name: string | RegExp, key = 'Enter'): Promise<void> {
  await tabTo(page, button(page, name));
  await page.keyboard.press(key);
}

test('a whole video visit by keyboard, in a narrow and dark window', { tag: '@prove' }, async ({
  api,
  browser,
  watch,
  sessionOf,
}) => {
  const { patient, appointment } = await bookAppointmentIn(5, api);
  const guest = await openWithDevices(browser, watch, { ...NARROW, colorScheme: 'dark' });
  const staff = await openWithDevices(browser, watch, await practitionerContext(sessionOf));
  await guest.goto(appointment.video_call_url);
  await press(guest, 'Try them out');
  const level = guest.getByRole('meter', { name: 'Microphone level' });
  await expect.poll(async () => Number(await level.getAttribute('aria-valuenow'))).toBeGreaterThan(0);
  await press(guest, 'Play a sound');
  await expect(guest.getByText('Did you hear three tones?')).toBeVisible();
  await press(guest, 'Go to the waiting room');
  await expect(guest.getByRole('heading', { level: 1, name: 'You are in the waiting room' })).toBeFocused();
  await expectAccessible(guest);

  await staff.goto(`/appointments/${appointment.id}/call`);
  await press(staff, 'Join the visit');
  await expect(staff.getByRole('heading', { name: `${patientName(patient)} is waiting` })).toBeFocused();
  await press(staff, 'Let them in');
  for (const page of [guest, staff]) await expect(inCall(page)).toBeVisible();
  await expect(guest.getByRole('heading', { level: 1, name: appointment.calendar })).toBeFocused();
  await expectBothMedia([guest, staff]);

  await press(guest, 'Mute', 'Space');
  await expect(button(guest, 'Unmute')).toBeFocused();
  await guest.keyboard.press('Space');
  await press(guest, 'Stop camera');
  await expect(button(guest, 'Start camera')).toBeFocused();
  await guest.keyboard.press('Enter');
  await expect(button(guest, 'Stop camera')).toBeFocused();

  await press(guest, 'Chat');
  await expect(guest.getByRole('textbox', { name: 'Message' })).toBeFocused();
  await guest.keyboard.type('Can you see me?');
  await guest.keyboard.press('Enter');
  await guest.keyboard.press('Escape');
  await expect(button(guest, 'Chat'), 'where it was opened').toBeFocused();
  await press(staff, /^Chat/);
  await expect(staff.getByRole('log')).toContainText('Can you see me?');
  await staff.keyboard.press('Escape');

  await press(guest, /^Private line\./);
  await expect(guest.getByRole('dialog', { name: 'Is this call private?' })).toBeVisible();
  await expectAccessible(guest);
  await pressUntil(guest, 'Escape', hidden(guest.getByRole('dialog')));
  await expect(button(guest, /^Private line\./)).toBeFocused();

  await press(guest, 'More');
  await expect(guest.getByRole('menuitem', { name: 'Camera and sound' })).toBeFocused();
  await guest.keyboard.press('Enter');
  await expect(guest.getByRole('dialog', { name: 'Camera and sound' })).toBeVisible();
  await pressUntil(guest, 'Escape', hidden(guest.getByRole('dialog')));
  await expect(button(guest, 'More')).toBeFocused();

  await press(staff, 'Leave');
  await expect(staff.getByRole('menuitem', { name: 'End the visit for both' })).toBeFocused();
  await staff.keyboard.press('Enter');
  await expect(guest.getByRole('heading', { level: 1, name: 'The visit is over' })).toBeFocused();
  await expect(staff.getByRole('heading', { name: 'The visit is over' })).toBeFocused();
});
