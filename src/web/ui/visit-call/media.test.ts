import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMedia } from './media.ts';
import { wordsOfTrouble } from './words.ts';

class Track extends EventTarget {
  readyState: 'live' | 'ended' = 'live';
  enabled = true;
  contentHint = '';
  isBlurred = false;
  constructor(readonly kind: 'audio' | 'video') {
    super();
  }
  stop() {
    this.readyState = 'ended';
  }
  getCapabilities() {
    return { backgroundBlur: [true, false] };
  }
  async applyConstraints({ backgroundBlur }: { backgroundBlur: boolean }) {
    this.isBlurred = backgroundBlur;
  }
}

let given: Track[] = [];
const running = () => given.filter(({ readyState }) => readyState === 'live');
const streamOf = (tracks: Track[]) => {
  given.push(...tracks);
  const of = (kind: string) => tracks.filter((track) => track.kind === kind);
  return { getTracks: () => tracks, getVideoTracks: () => of('video') };
};

beforeEach(() => {
  given = [];
  const mediaDevices = Object.assign(new EventTarget(), {
    getUserMedia: async ({ audio, video }: MediaStreamConstraints) =>
      streamOf([...(video ? [new Track('video')] : []), ...(audio ? [new Track('audio')] : [])]),
    getDisplayMedia: async () => streamOf([new Track('video')]),
    enumerateDevices: async () => [],
  });
  vi.stubGlobal('navigator', { mediaDevices });
  vi.stubGlobal('RTCPeerConnection', class {});
});
afterEach(() => vi.unstubAllGlobals());

test('who joins again what was over is seen and heard again', async () => {
  const media = createMedia();
  await media.start();
  media.close();
  expect(running()).toEqual([]);
  await media.start();
  expect(media.read()).toMatchObject({
    stage: 'on',
    camera: { readyState: 'live' },
    microphone: { readyState: 'live' },
  });
});

test('devices that are given once the page was left are let go', async () => {
  const media = createMedia();
  const started = media.start();
  media.close();
  await started;
  expect(running()).toEqual([]);
  expect(media.read().stage).toBe('off');
});

test('a screen that is chosen after the call is not shown, and one that is chosen twice is shown once', async () => {
  const media = createMedia();
  await media.start();
  await Promise.all([media.shareScreen(), media.shareScreen()]);
  expect(running()).toHaveLength(3);
  const late = media.shareScreen();
  media.close();
  await late;
  expect(running()).toEqual([]);
  expect(media.read().screen).toBeNull();
});

test('a room that was hidden stays so when the camera is turned on again', async () => {
  const media = createMedia();
  await media.start();
  await media.blur(true);
  await media.showCamera(false);
  await media.showCamera(true);
  expect(media.read()).toMatchObject({ isBlurred: true, camera: { isBlurred: true } });
  await media.blur(false);
  await media.showCamera(true);
  expect(media.read()).toMatchObject({ isBlurred: false, camera: { isBlurred: false } });
});

test('what was hidden before a reload is hidden after it, and the camera’s light stays off', async () => {
  const before = createMedia();
  await before.start();
  before.mute(true);
  await before.blur(true);
  await before.showCamera(false);
  given = [];
  const media = createMedia(before.hidden());
  await media.start();
  expect(given.map(({ kind, enabled }) => [kind, enabled])).toEqual([['audio', false]]);
  expect(media.read()).toMatchObject({ stage: 'on', camera: null, isMuted: true, trouble: {} });
  await media.showCamera(true);
  expect(media.read()).toMatchObject({ isBlurred: true, camera: { isBlurred: true } });
  expect(media.hidden()).toEqual({ isMuted: true, isCameraOff: false, isBlurred: true });
});

test('a camera that is turned off before it was given is let go', async () => {
  const media = createMedia();
  await media.start();
  await media.showCamera(false);
  const turnedOn = media.showCamera(true);
  await media.showCamera(false);
  await turnedOn;
  expect(running().map(({ kind }) => kind)).toEqual(['audio']);
  expect(media.read().camera).toBeNull();
  await media.askAgain('camera');
  expect(media.read().camera).toMatchObject({ readyState: 'live' });
});

test.each([
  ['NotAllowedError', 'blocked'],
  ['NotFoundError', 'missing'],
  ['OverconstrainedError', 'missing'],
  ['NotReadableError', 'busy'],
  ['AbortError', 'busy'],
  ['TypeError', 'failed'],
] as const)(
  'a camera that is refused with %s is said to be %s, and who has a microphone is heard',
  async (name, is) => {
    const ask = navigator.mediaDevices.getUserMedia;
    navigator.mediaDevices.getUserMedia = async (wanted) => {
      if (wanted?.video) throw new DOMException('no', name);
      return ask(wanted);
    };
    Object.assign(navigator, { permissions: { query: async () => ({ state: 'granted' }) } });
    const media = createMedia();
    await media.start();
    expect(media.read()).toMatchObject({ stage: 'on', camera: null, microphone: { readyState: 'live' } });
    expect(media.read().trouble).toEqual({ camera: is });
    expect(wordsOfTrouble('camera', is)).toMatch(/\.$/);
  },
);
