import { bookAppointmentIn } from './appointment-now.ts';
import { codeOn, connectCall, expectBothMedia, expectMedia, hangUp, runningCameras, WITH_DEVICES } from './call.ts';
import { expect, test } from './fixtures.ts';
import { interceptConnection } from './lossy-connection.ts';
import { ASSERTS_SPEED } from './prove.ts';

test.use({ launchOptions: WITH_DEVICES });
test.slow();
test.afterEach(({ browser, context }) => hangUp(browser, context));

const BACK_MS = ASSERTS_SPEED ? 5_000 : Infinity;
const A_WHILE_MS = 40_000;
const LOST = 'The connection was lost. We are bringing it back…';

test('a lost connection is reported, and restored within five seconds of the network', {
  tag: '@prove',
}, async ({ api, browser, watch, sessionOf }) => {
  let line: Awaited<ReturnType<typeof interceptConnection>> | undefined;
  const { staff, guest } = await connectCall(
    await bookAppointmentIn(5, api),
    { browser, watch, sessionOf },
    async (pages) => {
      line = await interceptConnection(pages);
    },
  );
  await expectBothMedia([guest, staff]);
  const code = await codeOn(guest);
  line!.lose(100);
  for (const page of [guest, staff]) await expect(page.getByText(LOST).first()).toBeVisible({ timeout: A_WHILE_MS });
  line!.lose(0);
  const back = Date.now();
  for (const page of [guest, staff]) await expect(page.getByText(LOST)).toHaveCount(0);
  const took = Date.now() - back;
  console.log(`a line that was cut stood again after ${took} ms`);
  expect(took).toBeLessThan(BACK_MS);
  await expectBothMedia([guest, staff]);
  expect([await codeOn(guest), await codeOn(staff)], 'the same line, with the same certificates').toEqual([code, code]);
  line!.close();
});

test('on a weak connection video is turned off for the sound, and the page says so', { tag: '@prove' }, async ({
  api,
  browser,
  watch,
  sessionOf,
}) => {
  let line: Awaited<ReturnType<typeof interceptConnection>> | undefined;
  const { staff, guest } = await connectCall(
    await bookAppointmentIn(5, api),
    { browser, watch, sessionOf },
    async (pages) => {
      line = await interceptConnection(pages);
    },
  );
  await expectBothMedia([guest, staff]);
  line!.lose(15);
  const spared = guest.getByText(/^Your connection is weak, so your camera was turned off/);
  await expect(spared).toBeVisible({ timeout: A_WHILE_MS });
  expect(await runningCameras(guest)).toBe(0);
  await expectMedia(staff, 'sound');
  line!.lose(0);
  await expect(guest.getByText('Good connection')).toBeVisible({ timeout: A_WHILE_MS });
  await guest.getByRole('button', { name: 'Start camera' }).click();
  await expect(spared).toBeHidden();
  await expectMedia(staff);
  line!.close();
});
