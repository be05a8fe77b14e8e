import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test';
import config from '../playwright.config.ts';
import { nameOf } from './api.ts';
import { type Role, readCard } from './card.ts';
import { expect } from './fixtures.ts';
import type { VisitNow } from './visit-now.ts';
import type { Watch } from './watch.ts';

/** A browser that has a camera with a moving picture and a microphone that beeps, and lets every page use them. */
export const WITH_DEVICES = {
  ...config.use?.launchOptions,
  args: [
    ...(config.use?.launchOptions?.args ?? []),
    '--use-fake-ui-for-media-stream',
    // Pictures are made, packed and unpacked by the processor here: twenty a second starve it, and the line with it.
    '--use-fake-device-for-media-stream=fps=8',
    '--auto-select-desktop-capture-source=Entire screen',
  ],
};

/** Ends every call that a journey has left behind: pictures that nobody looks at cost the next one its time. */
export async function hangUp(browser: Browser, own: BrowserContext): Promise<void> {
  for (const context of browser.contexts()) if (context !== own) await context.close();
}

type Peers = { peers: RTCPeerConnection[]; tracks: MediaStreamTrack[]; Plain: typeof RTCPeerConnection };

/** Keeps the page's lines and tracks where a journey can read their figures. */
export const keepPeers = () => {
  const Peer = window.RTCPeerConnection;
  const kept: Peers = { peers: [], tracks: [], Plain: Peer };
  Object.assign(window, { kept });
  window.RTCPeerConnection = class extends Peer {
    constructor(options?: RTCConfiguration) {
      super(options);
      kept.peers.push(this);
    }
  };
  // An empty page, before the first one is gone to, has none.
  if (!navigator.mediaDevices) return;
  const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (constraints) => {
    const video = constraints?.video;
    const stream = await ask({
      ...constraints,
      // As many lines as the page asks for would take a processor of their own, for each camera.
      ...(typeof video === 'object' && { video: { ...video, width: 640, height: 360 } }),
    });
    kept.tracks.push(...stream.getTracks());
    return stream;
  };
};

/** Somebody's browser, with devices. */
export async function openWithDevices(
  browser: Browser,
  watch: Watch,
  options: BrowserContextOptions = {},
): Promise<Page> {
  // Who has let a page use devices lets it know their addresses, too.
  const context = await browser.newContext({ permissions: ['camera', 'microphone'], ...options });
  watch.follow(context);
  // What is said to somebody who is just leaving, or by them.
  watch.bear(/409 .*\/api\/calls\/signal/);
  const page = await context.newPage();
  await page.addInitScript(keepPeers);
  return page;
}

/** What is read of a page, whoever drives its browser. */
type Readable = { url(): string; evaluate<Answer>(read: () => Answer | Promise<Answer>): Promise<Answer> };

export type Heard = { frames: number; energy: number; packets: number; sent: number };

/** What has come from the other side over the present line, and how many pictures went there. */
export const heardOn = (page: Readable): Promise<Heard> =>
  page.evaluate(async () => {
    const peer = (window as unknown as { kept: Peers }).kept.peers.at(-1);
    const found = { frames: 0, energy: 0, packets: 0, sent: 0 };
    for (const one of (await peer?.getStats())?.values() ?? []) {
      if (one.type === 'inbound-rtp') found.packets += one.packetsReceived ?? 0;
      if (one.type === 'inbound-rtp' && one.kind === 'video') found.frames += one.framesDecoded ?? 0;
      if (one.type === 'inbound-rtp' && one.kind === 'audio') found.energy += one.totalAudioEnergy ?? 0;
      if (one.type === 'outbound-rtp' && one.kind === 'video') found.sent += one.framesSent ?? 0;
    }
    return found;
  });

/** How many bits a second each picture that is sent may have at most. */
export const mostSent = (page: Page): Promise<(number | undefined)[]> =>
  page.evaluate(() => {
    const senders = (window as unknown as { kept: Peers }).kept.peers.at(-1)?.getSenders() ?? [];
    const ofPictures = senders.filter(({ track }) => track?.kind === 'video');
    return ofPictures.flatMap((sender) => sender.getParameters().encodings.map(({ maxBitrate }) => maxBitrate));
  });

/** Pictures and sound come on from the other side, from now on. */
export async function expectMedia(page: Readable, what: 'both' | 'sound' = 'both'): Promise<void> {
  const before = await heardOn(page);
  await expect
    .poll(
      async () => {
        const now = await heardOn(page);
        return {
          pictures: what === 'sound' || now.frames >= before.frames + 5,
          sound: now.energy > before.energy,
        };
      },
      { message: `media at ${page.url()}` },
    )
    .toEqual({ pictures: true, sound: true });
}

const SPARED = /your camera was turned off to keep the sound clear/;

/**
 * Pictures and sound come on from either side. A machine that is too slow for two cameras has a weak line: a side may have
 * turned its own off by then, and says so.
 */
export async function expectBothMedia(pages: Page[]): Promise<void> {
  await expect(async () => {
    for (const page of pages) {
      const start = page.getByRole('button', { name: 'Start camera' });
      if ((await page.getByText(SPARED).isVisible()) && (await start.isVisible())) await start.click();
    }
    await Promise.all(pages.map((page) => expectMedia(page)));
  }).toPass({ timeout: 60_000 });
}

/**
 * How long this machine takes, right now, for the least that a call can be: as many words to the service as bring two sides
 * together, and two lines of one page with its own camera, from the first word to the first picture.
 */
export const leastCall = (page: Readable): Promise<number> =>
  page.evaluate(async () => {
    const begun = performance.now();
    for (let words = 0; words < 10; words += 1) await (await fetch('/api/health', { cache: 'no-store' })).text();
    const { Plain } = (window as unknown as { kept: Peers }).kept;
    const [near, far] = [new Plain(), new Plain()];
    near.onicecandidate = ({ candidate }) => candidate && void far.addIceCandidate(candidate);
    far.onicecandidate = ({ candidate }) => candidate && void near.addIceCandidate(candidate);
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: { width: 1280, height: 720 } });
    for (const track of stream.getTracks()) near.addTrack(track, stream);
    await near.setLocalDescription();
    await far.setRemoteDescription(near.localDescription!);
    await far.setLocalDescription();
    await near.setRemoteDescription(far.localDescription!);
    const hasPicture = async () =>
      [...(await far.getStats()).values()].some(
        ({ type, framesDecoded }) => type === 'inbound-rtp' && framesDecoded > 0,
      );
    while (!(await hasPicture())) await new Promise((resolve) => setTimeout(resolve, 50));
    for (const track of stream.getTracks()) track.stop();
    for (const peer of [near, far]) peer.close();
    return performance.now() - begun;
  });

/** The four words that a side sees. */
export async function codeOn(page: Page): Promise<string> {
  const chip = page.getByRole('button', { name: /^Private line\. (New c|C)ode: / });
  await expect(chip).toBeVisible();
  return (await chip.getAttribute('data-call-code')) ?? '';
}

/** How many of the page's cameras are still running, whose light is on. */
export const runningCameras = (page: Readable): Promise<number> =>
  page.evaluate(
    () =>
      (window as unknown as { kept: Peers }).kept.tracks.filter(
        ({ kind, readyState }) => kind === 'video' && readyState === 'live',
      ).length,
  );

/** The device behind the present track of a kind is pulled out. */
export const unplug = (page: Page, kind: 'audio' | 'video'): Promise<void> =>
  page.evaluate((wanted) => {
    const track = (window as unknown as { kept: Peers }).kept.tracks.findLast(
      (one) => one.kind === wanted && one.readyState === 'live',
    );
    // A browser tells it of a track that ended by itself alone.
    track?.stop();
    track?.dispatchEvent(new Event('ended'));
  }, kind);

export type SessionOf = (role: Role) => Promise<BrowserContextOptions['storageState']>;
type Around = { browser: Browser; watch: Watch; sessionOf: SessionOf };

export const asPractitioner = async (sessionOf: SessionOf): Promise<BrowserContextOptions> => ({
  baseURL: readCard().portal_url,
  storageState: await sessionOf('practitioner'),
});

export const inCall = (page: Page) => page.getByRole('toolbar', { name: 'Call' });

export async function goToWaitingRoom(guest: Page, url: string): Promise<void> {
  await guest.goto(url);
  await guest.getByRole('button', { name: 'Go to the waiting room' }).click();
  await expect(guest.getByRole('heading', { level: 1, name: 'You are in the waiting room' })).toBeVisible();
}

export async function joinAsStaff(staff: Page, { patient, visit }: VisitNow): Promise<void> {
  await staff.goto(`/appointments/${visit.id}/call`);
  await staff.getByRole('button', { name: 'Join the visit' }).click();
  await expect(staff.getByRole('heading', { name: `${nameOf(patient)} is waiting` })).toBeVisible();
}

/** Both sides of a visit, in their call. `before` is done to both pages first. */
export async function meet(
  made: VisitNow,
  { browser, watch, sessionOf }: Around,
  before: (pages: Page[]) => Promise<unknown> = async () => {},
): Promise<VisitNow & { staff: Page; guest: Page }> {
  const guest = await openWithDevices(browser, watch);
  const staff = await openWithDevices(browser, watch, await asPractitioner(sessionOf));
  await before([guest, staff]);
  await goToWaitingRoom(guest, made.visit.video_call_url);
  await joinAsStaff(staff, made);
  await staff.getByRole('button', { name: 'Let them in' }).click();
  await expect(inCall(guest)).toBeVisible();
  await expect(inCall(staff)).toBeVisible();
  return { ...made, staff, guest };
}
