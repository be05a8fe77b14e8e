import type { Browser, Page } from '@playwright/test';
import type { SendSignalInput } from '#contract/visit-call.ts';
import {
  asPractitioner,
  codeOn,
  expectBothMedia,
  goToWaitingRoom,
  hangUp,
  heardOn,
  inCall,
  joinAsStaff,
  openWithDevices,
  type SessionOf,
  WITH_DEVICES,
} from './call.ts';
import { type CutNetwork, canCutNetworks, openCutNetwork, type Way } from './cut-network.ts';
import { expect, test } from './fixtures.ts';
import { ASSERTS_SPEED } from './prove.ts';
import { type VisitNow, visitIn } from './visit-now.ts';
import type { Watch } from './watch.ts';

test.skip(!canCutNetworks(), 'networks of their own are made by root on Linux alone');
test.use({ launchOptions: WITH_DEVICES });
test.slow();

const BACK_MS = ASSERTS_SPEED ? 5_000 : Infinity;
/** In which more has come each time, a fifth of a second apart. */
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
    () => (window as unknown as { kept: { peers: RTCPeerConnection[] } }).kept.peers.at(-1)?.signalingState,
  );

/** From now on no answer gets to the other side, until all are let go. */
async function holdAnswers(pages: Page[]): Promise<{ count: () => number; letGo: () => void }> {
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
      // Its page may have given it up meanwhile, to say it again.
      await route.continue().catch(() => undefined);
    });
  return { count: () => count, letGo };
}

/** From now on each hears the other again; pictures follow. @returns after how many ms */
async function expectBack(pages: Page[], after: string): Promise<number> {
  const since = Date.now();
  // What is lost is made up by the browser, so its sound says nothing.
  const heard = () => Promise.all(pages.map(async (page) => (await heardOn(page)).packets));
  let before = await heard();
  let [looks, back] = [0, since];
  // What was on its way as the network went comes once.
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
  // What was offered meanwhile is settled, too, though each side may have to tell it again.
  const toSettle = { timeout: A_WHILE_MS };
  for (const page of pages) await expect.poll(() => signallingOf(page), toSettle).toBe('stable');
  return took;
}

/** Both in their call, the patient in the house. */
async function meetAcross(
  made: VisitNow,
  { browser, watch, sessionOf }: { browser: Browser; watch: Watch; sessionOf: SessionOf },
): Promise<[guest: Page, staff: Page]> {
  watch.bear(/ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED|ERR_ADDRESS_UNREACHABLE|ERR_CONNECTION|ERR_TIMED_OUT/);
  const guest = await openWithDevices(away, watch);
  const staff = await openWithDevices(browser, watch, await asPractitioner(sessionOf));
  await goToWaitingRoom(guest, made.visit.video_call_url);
  await joinAsStaff(staff, made);
  await staff.getByRole('button', { name: 'Let them in' }).click();
  for (const page of [guest, staff]) await expect(inCall(page)).toBeVisible();
  await expectBothMedia([guest, staff]);
  return [guest, staff];
}

const change = (from: Way, to: Way) => {
  network.plug(from, false);
  network.plug(to, true);
};

// By itself: whatever else a browser on this machine asks for ends as a network is plugged in or out.
test.describe('a patient in a call', { tag: ['@alone', '@prove'] }, () => {
  test('whose network is gone and comes back, or is another, stays in it', async ({
    api,
    browser,
    watch,
    sessionOf,
  }) => {
    const pages = await meetAcross(await visitIn(5, api), { browser, watch, sessionOf });
    const codes = () => Promise.all(pages.map(codeOn));
    const [code] = await codes();

    network.plug('house', false);
    for (const page of pages) await expect(page.getByText(LOST).first()).toBeVisible({ timeout: A_WHILE_MS });
    network.plug('house', true);
    expect(await expectBack(pages, 'the network had been away')).toBeLessThan(BACK_MS);

    // From the house into the street and back: another address, by another way. A machine that does much else may be slow once.
    const took: number[] = [];
    for (const [from, to] of WAYS_OUT) {
      change(from, to);
      took.push(await expectBack(pages, `a change from ${from} to ${to}`));
      if (took.at(-1)! < BACK_MS) break;
    }
    expect(Math.min(...took)).toBeLessThan(BACK_MS);
    expect(await codes(), 'the same line, with the same certificates').toEqual([code, code]);
  });

  test('whose network is another once more before what was offered in the first is answered, stays in it', async ({
    api,
    browser,
    watch,
    sessionOf,
  }) => {
    const pages = await meetAcross(await visitIn(5, api), { browser, watch, sessionOf });
    const held = await holdAnswers(pages);
    change('house', 'phone');
    await expect.poll(() => Promise.all(pages.map(signallingOf)), QUICKLY).toContain('have-local-offer');
    await expect.poll(held.count, QUICKLY).toBeGreaterThan(0);
    change('phone', 'house');
    held.letGo();
    expect(await expectBack(pages, 'a second change upon the first')).toBeLessThan(BACK_MS);
  });
});
