import type { Browser, Page } from '@playwright/test';
import type { SendSignalInput } from '#contract/visit-call.ts';
import { type AppointmentNow, bookAppointmentIn } from './appointment-now.ts';
import {
  closeCalls,
  codeOn,
  connectCall,
  expectBothMedia,
  receivedMedia,
  type SessionOf,
  WITH_DEVICES,
} from './call.ts';
import { type CutNetwork, canCutNetworks, openCutNetwork, type Uplink } from './cut-network.ts';
import { expect, test } from './fixtures.ts';
import { ASSERTS_SPEED } from './prove.ts';
import type { Watch } from './watch.ts';

test.skip(!canCutNetworks(), 'network namespaces require root on Linux');
test.use({ launchOptions: WITH_DEVICES });
test.slow();

const RECONNECT_MS = ASSERTS_SPEED ? 5_000 : Infinity;
/** Number of consecutive checks in which more has arrived, a fifth of a second apart. */
const CONSECUTIVE_CHECKS = 4;
const TIMEOUT_MS = 40_000;
const FAST_POLL = { intervals: [20], timeout: TIMEOUT_MS };
const UPLINK_CHANGES = [
  ['home', 'phone'],
  ['phone', 'home'],
  ['home', 'phone'],
] as const;
const CONNECTION_LOST = 'The connection was lost. We are bringing it back…';

let network: CutNetwork;
let patientsBrowser: Browser;
test.beforeEach(async () => {
  network = await openCutNetwork();
  network.setUplink('home', true);
  patientsBrowser = await network.launch(WITH_DEVICES);
});
test.afterEach(async ({ browser, context }) => {
  await closeCalls(browser, context);
  await network?.close();
});

const signalingStateOf = (page: Page) =>
  page.evaluate(
    () => (window as unknown as { recorded: { peers: RTCPeerConnection[] } }).recorded.peers.at(-1)?.signalingState,
  );

/** Holds back SDP answers to the other side until all are released. */
async function holdAnswers(pages: Page[]): Promise<{ count: () => number; release: () => void }> {
  let count = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
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
  return { count: () => count, release };
}

/**
 * Waits until each side hears the other again; video follows.
 * @returns the time in ms
 */
async function expectReconnected(pages: Page[], cause: string): Promise<number> {
  const since = Date.now();
  // The browser conceals lost packets, so only the packet count shows a connection.
  const receivedPackets = () => Promise.all(pages.map(async (page) => (await receivedMedia(page)).packets));
  let before = await receivedPackets();
  let [checks, restoredAt] = [0, since];
  // Packets that were in flight when the network was lost arrive once.
  const countChecks = async () => {
    const now = await receivedPackets();
    checks = now.every((packets, index) => packets > before[index]!) ? checks + 1 : 0;
    if (checks <= 1) restoredAt = Date.now();
    before = now;
    return checks;
  };
  await expect.poll(countChecks, { intervals: [200], timeout: TIMEOUT_MS }).toBe(CONSECUTIVE_CHECKS);
  const ms = restoredAt - since;
  console.log(`after ${cause} both sides received media again in ${ms} ms`);
  for (const page of pages) await expect(page.getByText(CONNECTION_LOST)).toHaveCount(0);
  await expectBothMedia(pages);
  // Offers made in between are settled as well, though each side may have to send them again.
  const options = { timeout: TIMEOUT_MS };
  for (const page of pages) await expect.poll(() => signalingStateOf(page), options).toBe('stable');
  return ms;
}

/** Brings both sides into their call, the patient by the `home` route. */
async function connectAcrossNetworks(
  booked: AppointmentNow,
  { browser, watch, sessionOf }: { browser: Browser; watch: Watch; sessionOf: SessionOf },
): Promise<[guest: Page, staff: Page]> {
  watch.tolerate(/ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED|ERR_ADDRESS_UNREACHABLE|ERR_CONNECTION|ERR_TIMED_OUT/);
  const { guest, staff } = await connectCall(booked, { browser, guestBrowser: patientsBrowser, watch, sessionOf });
  await expectBothMedia([guest, staff]);
  return [guest, staff];
}

const changeUplink = (from: Uplink, to: Uplink) => {
  network.setUplink(from, false);
  network.setUplink(to, true);
};

// Runs alone: other requests of browsers on this machine fail when a network is connected or disconnected.
test.describe('a patient in a call', { tag: ['@alone', '@prove'] }, () => {
  test('whose network is lost and returns, or changes, stays in it', async ({ api, browser, watch, sessionOf }) => {
    const pages = await connectAcrossNetworks(await bookAppointmentIn(5, api), { browser, watch, sessionOf });
    const codes = () => Promise.all(pages.map(codeOn));
    const [code] = await codes();

    network.setUplink('home', false);
    for (const page of pages)
      await expect(page.getByText(CONNECTION_LOST).first()).toBeVisible({ timeout: TIMEOUT_MS });
    network.setUplink('home', true);
    expect(await expectReconnected(pages, 'the loss of the network')).toBeLessThan(RECONNECT_MS);

    // From `home` to `phone` and back: another address on another route. A busy machine may be slow once.
    const durations: number[] = [];
    for (const [from, to] of UPLINK_CHANGES) {
      changeUplink(from, to);
      durations.push(await expectReconnected(pages, `a change from ${from} to ${to}`));
      if (durations.at(-1)! < RECONNECT_MS) break;
    }
    expect(Math.min(...durations)).toBeLessThan(RECONNECT_MS);
    expect(await codes(), 'the same connection, with the same certificates').toEqual([code, code]);
  });

  test('whose network changes again before the first offer is answered, stays in it', async ({
    api,
    browser,
    watch,
    sessionOf,
  }) => {
    const pages = await connectAcrossNetworks(await bookAppointmentIn(5, api), { browser, watch, sessionOf });
    const answers = await holdAnswers(pages);
    changeUplink('home', 'phone');
    await expect.poll(() => Promise.all(pages.map(signalingStateOf)), FAST_POLL).toContain('have-local-offer');
    await expect.poll(answers.count, FAST_POLL).toBeGreaterThan(0);
    changeUplink('phone', 'home');
    answers.release();
    expect(await expectReconnected(pages, 'a second change during the first')).toBeLessThan(RECONNECT_MS);
  });
});
