import { bookAppointmentIn } from './appointment-now.ts';
import { closeCalls, codeOn, connectCall, expectBothMedia, expectMedia, runningCameras, WITH_DEVICES } from './call.ts';
import { expect, test } from './fixtures.ts';
import { interceptConnection } from './lossy-connection.ts';
import { ASSERTS_SPEED } from './prove.ts';

test.use({ launchOptions: WITH_DEVICES });
test.slow();
test.afterEach(({ browser, context }) => closeCalls(browser, context));

const RECONNECT_MS = ASSERTS_SPEED ? 5_000 : Infinity;
const TIMEOUT_MS = 40_000;
const CONNECTION_LOST = 'The connection was lost. We are bringing it back…';

test('a lost connection is reported, and restored within five seconds of the network', {
  tag: '@prove',
}, async ({ api, browser, watch, sessionOf }) => {
  let connection: Awaited<ReturnType<typeof interceptConnection>> | undefined;
  const { staff, guest } = await connectCall(
    await bookAppointmentIn(5, api),
    { browser, watch, sessionOf },
    async (pages) => {
      connection = await interceptConnection(pages);
    },
  );
  await expectBothMedia([guest, staff]);
  const code = await codeOn(guest);
  connection!.setLoss(100);
  for (const page of [guest, staff])
    await expect(page.getByText(CONNECTION_LOST).first()).toBeVisible({ timeout: TIMEOUT_MS });
  connection!.setLoss(0);
  const restoredAt = Date.now();
  for (const page of [guest, staff]) await expect(page.getByText(CONNECTION_LOST)).toHaveCount(0);
  const ms = Date.now() - restoredAt;
  console.log(`a lost connection was restored after ${ms} ms`);
  expect(ms).toBeLessThan(RECONNECT_MS);
  await expectBothMedia([guest, staff]);
  expect([await codeOn(guest), await codeOn(staff)], 'the same connection, with the same certificates').toEqual([
    code,
    code,
  ]);
  connection!.close();
});

test('on a weak connection video is turned off for the sound, and the page says so', { tag: '@prove' }, async ({
  api,
  browser,
  watch,
  sessionOf,
}) => {
  let connection: Awaited<ReturnType<typeof interceptConnection>> | undefined;
  const { staff, guest } = await connectCall(
    await bookAppointmentIn(5, api),
    { browser, watch, sessionOf },
    async (pages) => {
      connection = await interceptConnection(pages);
    },
  );
  await expectBothMedia([guest, staff]);
  connection!.setLoss(15);
  const cameraTurnedOff = guest.getByText(/^Your connection is weak, so your camera was turned off/);
  await expect(cameraTurnedOff).toBeVisible({ timeout: TIMEOUT_MS });
  expect(await runningCameras(guest)).toBe(0);
  await expectMedia(staff, 'sound');
  connection!.setLoss(0);
  await expect(guest.getByText('Good connection')).toBeVisible({ timeout: TIMEOUT_MS });
  await guest.getByRole('button', { name: 'Start camera' }).click();
  await expect(cameraTurnedOff).toBeHidden();
  await expectMedia(staff);
  connection!.close();
});
