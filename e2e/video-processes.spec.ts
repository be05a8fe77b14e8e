import type { Page } from '@playwright/test';
import { bookAppointmentIn } from './appointment-now.ts';
import { closeCalls, codeOn, connectCall, expectBothMedia, expectMedia, inCall, WITH_DEVICES } from './call.ts';
import { canReadProcesses, type ExtraProcess, openExtraProcess } from './extra-process.ts';
import { expect, test } from './fixtures.ts';

test.skip(!canReadProcesses(), 'the settings of the served copy are read from its process, on Linux');
test.use({ launchOptions: WITH_DEVICES });
test.slow();

let processes: ExtraProcess[] = [];
test.afterEach(async ({ browser, context }) => {
  await closeCalls(browser, context);
  for (const extra of processes) await extra.close();
});

const isServed = (page: Page) =>
  page.evaluate(() =>
    fetch('/api/health').then(
      ({ ok }) => ok,
      () => false,
    ),
  );

test('a call whose sides are on two processes continues while these restart one after the other', {
  tag: ['@alone', '@prove'],
}, async ({ api, watch, sessionOf }) => {
  processes = [await openExtraProcess(), await openExtraProcess()];
  const [guestBrowser, browser] = await Promise.all(processes.map((extra) => extra.launch(WITH_DEVICES)));
  watch.tolerate(/net::ERR_(CONNECTION|EMPTY|INCOMPLETE|SOCKET)|503/);
  const booked = await bookAppointmentIn(5, api);
  const { staff, guest } = await connectCall(booked, { browser: browser!, guestBrowser, watch, sessionOf });
  const sides = [guest, staff];
  await expectBothMedia(sides);
  const code = await codeOn(guest);
  for (const [index, extra] of processes.entries()) {
    await extra.stop();
    expect(await isServed(sides[index]!)).toBe(false);
    await Promise.all(sides.map((page) => expectMedia(page)));
    await extra.start();
    expect(await isServed(sides[index]!)).toBe(true);
  }
  await expectBothMedia(sides);
  expect(await Promise.all(sides.map(codeOn)), 'still the same connection').toEqual([code, code]);

  // A new connection takes signals in both directions, through the new processes.
  for (const page of sides) {
    await page.reload();
    await expect(inCall(page)).toBeVisible();
    await expectBothMedia(sides);
    await expect.poll(async () => (await codeOn(staff)) === (await codeOn(guest))).toBe(true);
  }
  expect(await codeOn(guest)).not.toBe(code);
});
