import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test';
import type { Role } from '#contract/roles.ts';
import config from '../playwright.config.ts';
import { patientName } from './api.ts';
import type { AppointmentNow } from './appointment-now.ts';
import { readCard } from './card.ts';
import { expect } from './fixtures.ts';
import type { Watch } from './watch.ts';

/** Browser with a fake camera (moving picture) and microphone (beeps), which every page may use. */
export const WITH_DEVICES = {
  ...config.use?.launchOptions,
  args: [
    ...(config.use?.launchOptions?.args ?? []),
    '--use-fake-ui-for-media-stream',
    // Video is encoded and decoded on the CPU here: 20 frames per second would starve it, and the connection with it.
    '--use-fake-device-for-media-stream=fps=8',
    '--auto-select-desktop-capture-source=Entire screen',
  ],
};

/** Closes every call that a test has left open: video without a viewer would slow the next test down. */
export async function closeCalls(browser: Browser, ownContext: BrowserContext): Promise<void> {
  for (const context of browser.contexts()) if (context !== ownContext) await context.close();
}

type Peers = { peers: RTCPeerConnection[]; tracks: MediaStreamTrack[]; Plain: typeof RTCPeerConnection };

/** Stores the page's connections and tracks, so that tests can read their statistics. */
export const recordPeers = () => {
  const Peer = window.RTCPeerConnection;
  const recorded: Peers = { peers: [], tracks: [], Plain: Peer };
  Object.assign(window, { recorded });
  window.RTCPeerConnection = class extends Peer {
    constructor(options?: RTCConfiguration) {
      super(options);
      recorded.peers.push(this);
    }
  };
  // `about:blank`, before the first navigation, has none.
  if (!navigator.mediaDevices) return;
  const getUserMedia = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (constraints) => {
    const video = constraints?.video;
    const stream = await getUserMedia({
      ...constraints,
      // The resolution that the page requests would need a CPU of its own for each camera.
      ...(typeof video === 'object' && { video: { ...video, width: 640, height: 360 } }),
    });
    recorded.tracks.push(...stream.getTracks());
    return stream;
  };
};

/** Opens a page with devices in a browser context of its own. */
export async function openWithDevices(
  browser: Browser,
  watch: Watch,
  options: BrowserContextOptions = {},
): Promise<Page> {
  // With device permission, the browser also reveals local addresses to the page.
  const context = await browser.newContext({ permissions: ['camera', 'microphone'], ...options });
  watch.follow(context);
  // Signals to, or from, a participant who is just leaving.
  watch.tolerate(/409 .*\/api\/calls\/signal/);
  const page = await context.newPage();
  await page.addInitScript(recordPeers);
  return page;
}

/** The part of a page that statistics need, for any browser driver. */
type EvaluablePage = { url(): string; evaluate<Result>(read: () => Result | Promise<Result>): Promise<Result> };

export type ReceivedMedia = { frames: number; energy: number; packets: number; sent: number };

/** What has arrived from the other side over the current connection, and how many frames were sent. */
export const receivedMedia = (page: EvaluablePage): Promise<ReceivedMedia> =>
  page.evaluate(async () => {
    const peer = (window as unknown as { recorded: Peers }).recorded.peers.at(-1);
    const received = { frames: 0, energy: 0, packets: 0, sent: 0 };
    for (const stat of (await peer?.getStats())?.values() ?? []) {
      if (stat.type === 'inbound-rtp') received.packets += stat.packetsReceived ?? 0;
      if (stat.type === 'inbound-rtp' && stat.kind === 'video') received.frames += stat.framesDecoded ?? 0;
      if (stat.type === 'inbound-rtp' && stat.kind === 'audio') received.energy += stat.totalAudioEnergy ?? 0;
      if (stat.type === 'outbound-rtp' && stat.kind === 'video') received.sent += stat.framesSent ?? 0;
    }
    return received;
  });

/** Maximum bitrate of each video that is sent, in bits per second. */
export const sentBitrateLimits = (page: Page): Promise<(number | undefined)[]> =>
  page.evaluate(() => {
    const senders = (window as unknown as { recorded: Peers }).recorded.peers.at(-1)?.getSenders() ?? [];
    const videoSenders = senders.filter(({ track }) => track?.kind === 'video');
    return videoSenders.flatMap((sender) => sender.getParameters().encodings.map(({ maxBitrate }) => maxBitrate));
  });

/** Asserts that video and sound keep arriving from the other side. */
export async function expectMedia(page: EvaluablePage, kinds: 'both' | 'sound' = 'both'): Promise<void> {
  const before = await receivedMedia(page);
  await expect
    .poll(
      async () => {
        const now = await receivedMedia(page);
        return {
          pictures: kinds === 'sound' || now.frames >= before.frames + 5,
          sound: now.energy > before.energy,
        };
      },
      { message: `media at ${page.url()}` },
    )
    .toEqual({ pictures: true, sound: true });
}

const CAMERA_TURNED_OFF = /your camera was turned off to keep the sound clear/;

/**
 * Asserts that video and sound keep arriving on both sides. A machine that is too slow for two cameras has a weak
 * connection: a side may have turned its own camera off, and says so.
 */
export async function expectBothMedia(pages: Page[]): Promise<void> {
  await expect(async () => {
    for (const page of pages) {
      const start = page.getByRole('button', { name: 'Start camera' });
      if ((await page.getByText(CAMERA_TURNED_OFF).isVisible()) && (await start.isVisible())) await start.click();
    }
    await Promise.all(pages.map((page) => expectMedia(page)));
  }).toPass({ timeout: 60_000 });
}

/**
 * Measures the minimum duration of a call's setup on this machine, in ms: as many requests as bring two sides together,
 * and two connections within one page with its own camera, until the first frame.
 */
export const measureCallSetup = (page: EvaluablePage): Promise<number> =>
  page.evaluate(async () => {
    const start = performance.now();
    for (let requests = 0; requests < 10; requests += 1)
      await (await fetch('/api/health', { cache: 'no-store' })).text();
    const { Plain } = (window as unknown as { recorded: Peers }).recorded;
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
    return performance.now() - start;
  });

/** The four words of the code that a side sees. */
export async function codeOn(page: Page): Promise<string> {
  const chip = page.getByRole('button', { name: /^Private line\. (New c|C)ode: / });
  await expect(chip).toBeVisible();
  return (await chip.getAttribute('data-call-code')) ?? '';
}

/** Number of the page's cameras that are still running, with their light on. */
export const runningCameras = (page: EvaluablePage): Promise<number> =>
  page.evaluate(
    () =>
      (window as unknown as { recorded: Peers }).recorded.tracks.filter(
        ({ kind, readyState }) => kind === 'video' && readyState === 'live',
      ).length,
  );

/** Simulates that the device of the current track is unplugged. */
export const unplug = (page: Page, kind: 'audio' | 'video'): Promise<void> =>
  page.evaluate((wanted) => {
    const track = (window as unknown as { recorded: Peers }).recorded.tracks.findLast(
      (candidate) => candidate.kind === wanted && candidate.readyState === 'live',
    );
    // A browser fires the event only when a track ends on its own.
    track?.stop();
    track?.dispatchEvent(new Event('ended'));
  }, kind);

export type SessionOf = (role: Role) => Promise<BrowserContextOptions['storageState']>;
type CallSetup = { browser: Browser; guestBrowser?: Browser; watch: Watch; sessionOf: SessionOf };

export const practitionerContext = async (sessionOf: SessionOf): Promise<BrowserContextOptions> => ({
  baseURL: readCard().portal_url,
  storageState: await sessionOf('practitioner'),
});

export const inCall = (page: Page) => page.getByRole('toolbar', { name: 'Call' });

export async function goToWaitingRoom(guest: Page, url: string): Promise<void> {
  await guest.goto(url);
  await guest.getByRole('button', { name: 'Go to the waiting room' }).click();
  await expect(guest.getByRole('heading', { level: 1, name: 'You are in the waiting room' })).toBeVisible();
}

export async function joinAsStaff(staff: Page, { patient, appointment }: AppointmentNow): Promise<void> {
  await staff.goto(`/appointments/${appointment.id}/call`);
  await staff.getByRole('button', { name: 'Join the visit' }).click();
  await expect(staff.getByRole('heading', { name: `${patientName(patient)} is waiting` })).toBeVisible();
}

/** Brings both sides of an appointment into their call. `before` runs on both pages first. */
export async function connectCall(
  booked: AppointmentNow,
  { browser, guestBrowser = browser, watch, sessionOf }: CallSetup,
  before: (pages: Page[]) => Promise<unknown> = async () => {},
): Promise<AppointmentNow & { staff: Page; guest: Page }> {
  const guest = await openWithDevices(guestBrowser, watch);
  const staff = await openWithDevices(browser, watch, await practitionerContext(sessionOf));
  await before([guest, staff]);
  await goToWaitingRoom(guest, booked.appointment.video_call_url);
  await joinAsStaff(staff, booked);
  await staff.getByRole('button', { name: 'Let them in' }).click();
  await expect(inCall(guest)).toBeVisible();
  await expect(inCall(staff)).toBeVisible();
  return { ...booked, staff, guest };
}
