import type { Browser, Page } from '@playwright/test';
import type { SendSignalInput } from '#contract/visit-call.ts';
import { type AppointmentNow, bookAppointmentIn } from './appointment-now.ts';
import {
  asPractitioner,
  codeOn,
  expectBothMedia,
  goToWaitingRoom,
  hangUp,
  inCall,
  joinAsStaff,
  openWithDevices,
  receivedMedia,
  type SessionOf,
  WITH_DEVICES,
} from './call.ts';
import { type CutNetwork, canCutNetworks, openCutNetwork, type Way } from './cut-network.ts';
import { expect, test } from './fixtures.ts';
import { ASSERTS_SPEED } from './prove.ts';
import type { Watch } from './watch.ts';

test.skip(!canCutNetworks(), 'networks of their own are made by root on Linux alone');
test.use({ launchOptions: WITH_DEVICES });
test.slow();

const BACK_MS = ASSERTS_SPEED ? 5_000 : Infinity;
/** Number of consecutive checks in which more has arrived, a fifth of a second apart. */
const LOOKS = 4;
const A_WHILE_MS = 40_000;
const QUICKLY = { intervals: [20], timeout: A_WHILE_MS };
const WAYS_OUT = [
  ['house', 'phone'],
  ['phone', 'house'],
  ['house', 'phone'],
] as const;
const LOST = 'The connection was lost. We are bringing it back…';

let network: CutNetwork;
let away: Browser;
test.beforeEach(async () => {
  network = await openCutNetwork();
  network.plug('house', true);
  away = await network.launch(WITH_DEVICES);
});
test.afterEach(async ({ browser, context }) => {
  await hangUp(browser, context);
  await network?.close();
});

const signallingOf = (page: Page) =>
  page.evaluate(
    () => (window as unknown as { recorded: { peers: RTCPeerConnection[] } }).recorded.peers.at(-1)?.signalingState,
  );

/** Holds back SDP answers to the other side until all are released. */
async function holdResponses(pages: Page[]): Promise<{ count: () => number; letGo: () => void }> {
  let count = 0;
  let letGo = () => {};
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  for (const page of pages)
    await page.route('**/api/calls/signal', async (route) => {
      const { signal } = route.request().postDataJSON() as SendSignalInput;
      if (signal.kind === 'description' && signal.type === 'answer') {
        count += 1;
        await released;
      }
      // The page may have aborted the request in between, to send it again.
      await route.continue().catch(() => undefined);
    });
  return { count: () => count, letGo };
}

/**
 * Waits until each side hears the other again; video follows.
 * @returns the time in ms
 */
async function expectBack(pages: Page[], after: string): Promise<number> {
  const since = Date.now();
  // The browser conceals lost packets, so the sound proves nothing.
  const heard = () => Promise.all(pages.map(async (page) => (await receivedMedia(page)).packets));
  let before = await heard();
  let [looks, back] = [0, since];
  // Packets that were in flight when the network went arrive once.
  const inARow = async () => {
    const now = await heard();
    looks = now.every((packets, at) => packets > before[at]!) ? looks + 1 : 0;
    if (looks <= 1) back = Date.now();
    before = now;
    return looks;
  };
  await expect.poll(inARow, { intervals: [200], timeout: A_WHILE_MS }).toBe(LOOKS);
  const took = back - since;
  console.log(`after ${after} both were heard again in ${took} ms`);
  for (const page of pages) await expect(page.getByText(LOST)).toHaveCount(0);
  await expectBothMedia(pages);
  // Offers made in between are settled as well, though each side may have to send them again.
  const toSettle = { timeout: A_WHILE_MS };
  for (const page of pages) await expect.poll(() => signallingOf(page), toSettle).toBe('stable');
  return took;
}

/** Brings both sides into their call, the patient by the `house` route. */
async function meetAcross(
  booked: AppointmentNow,
  { browser, watch, sessionOf }: { browser: Browser; watch: Watch; sessionOf: SessionOf },
): Promise<[guest: Page, staff: Page]> {
  watch.bear(/ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED|ERR_ADDRESS_UNREACHABLE|ERR_CONNECTION|ERR_TIMED_OUT/);
  const guest = await openWithDevices(away, watch);
  const staff = await openWithDevices(browser, watch, await asPractitioner(sessionOf));
  await goToWaitingRoom(guest, booked.appointment.video_call_url);
  await joinAsStaff(staff, booked);
  await staff.getByRole('button', { name: 'Let them in' }).click();
  for (const page of [guest, staff]) await expect(inCall(page)).toBeVisible();
  await expectBothMedia([guest, staff]);
  return [guest, staff];
}

const change = (from: Way, to: Way) => {
  network.plug(from, false);
  network.plug(to, true);
};

// Runs alone: other requests of browsers on this machine fail when a network is connected or disconnected.
test.describe('a patient in a call', { tag: ['@alone', '@prove'] }, () => {
  test('whose network is lost and returns, or changes, stays in it', async ({ api, browser, watch, sessionOf }) => {
    const pages = await meetAcross(await bookAppointmentIn(5, api), { browser, watch, sessionOf });
    const codes = () => Promise.all(pages.map(codeOn));
    const [code] = await codes();

    network.plug('house', false);
    for (const page of pages) await expect(page.getByText(LOST).first()).toBeVisible({ timeout: A_WHILE_MS });
    network.plug('house', true);
    expect(await expectBack(pages, 'the network had been away')).toBeLessThan(BACK_MS);

    // From `house` to `phone` and back: another address on another route. A busy machine may be slow once.
    const took: number[] = [];
    for (const [from, to] of WAYS_OUT) {
      change(from, to);
      took.push(await expectBack(pages, `a change from ${from} to ${to}`));
      if (took.at(-1)! < BACK_MS) break;
    }
    expect(Math.min(...took)).toBeLessThan(BACK_MS);
    expect(await codes(), 'the same line, with the same certificates').toEqual([code, code]);
  });

  test('whose network changes again before the offer of the first change has its answer, stays in it', async ({
    api,
    browser,
    watch,
    sessionOf,
  }) => {
    const pages = await meetAcross(await bookAppointmentIn(5, api), { browser, watch, sessionOf });
    const held = await holdResponses(pages);
    change('house', 'phone');
    await expect.poll(() => Promise.all(pages.map(signallingOf)), QUICKLY).toContain('have-local-offer');
    await expect.poll(held.count, QUICKLY).toBeGreaterThan(0);
    change('phone', 'house');
    held.letGo();
    expect(await expectBack(pages, 'a second change upon the first')).toBeLessThan(BACK_MS);
  });
});
