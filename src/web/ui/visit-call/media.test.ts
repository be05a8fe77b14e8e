import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMedia } from './media.ts';
import { deviceMessage } from './messages.ts';

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

let granted: Track[] = [];
const running = () => granted.filter(({ readyState }) => readyState === 'live');
const streamOf = (tracks: Track[]) => {
  granted.push(...tracks);
  const of = (kind: string) => tracks.filter((track) => track.kind === kind);
  return { getTracks: () => tracks, getVideoTracks: () => of('video') };
};

beforeEach(() => {
  granted = [];
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

test('restarts the devices when the patient or staff user joins a second call', async () => {
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

test('stops devices that are granted after the page was left', async () => {
  const media = createMedia();
  const started = media.start();
  media.close();
  await started;
  expect(running()).toEqual([]);
  expect(media.read().stage).toBe('off');
});

test('stops a screen that is chosen after the call, and shares a screen chosen twice once', async () => {
  const media = createMedia();
  await media.start();
  await Promise.all([media.shareScreen(), media.shareScreen()]);
  expect(running()).toHaveLength(3);
  const lateShare = media.shareScreen();
  media.close();
  await lateShare;
  expect(running()).toEqual([]);
  expect(media.read().screen).toBeNull();
});

test('keeps the background blurred when the camera is turned on again', async () => {
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

test('keeps the microphone muted and the camera off after a reload', async () => {
  const before = createMedia();
  await before.start();
  before.mute(true);
  await before.blur(true);
  await before.showCamera(false);
  granted = [];
  const media = createMedia(before.hidden());
  await media.start();
  expect(granted.map(({ kind, enabled }) => [kind, enabled])).toEqual([['audio', false]]);
  expect(media.read()).toMatchObject({ stage: 'on', camera: null, isMuted: true, trouble: {} });
  await media.showCamera(true);
  expect(media.read()).toMatchObject({ isBlurred: true, camera: { isBlurred: true } });
  expect(media.hidden()).toEqual({ isMuted: true, isCameraOff: false, isBlurred: true });
});

test('stops a camera that is turned off before it was granted', async () => {
  const media = createMedia();
  await media.start();
  await media.showCamera(false);
  const turnedOn = media.showCamera(true);
  await media.showCamera(false);
  await turnedOn;
  expect(running().map(({ kind }) => kind)).toEqual(['audio']);
  expect(media.read().camera).toBeNull();
  await media.requestAgain('camera');
  expect(media.read().camera).toMatchObject({ readyState: 'live' });
});

test.each([
  ['NotAllowedError', 'blocked'],
  ['NotFoundError', 'missing'],
  ['OverconstrainedError', 'missing'],
  ['NotReadableError', 'busy'],
  ['AbortError', 'busy'],
  ['TypeError', 'failed'],
] as const)('with %s reports the camera as %s, and starts the microphone alone', async (name, is) => {
  const getUserMedia = navigator.mediaDevices.getUserMedia;
  navigator.mediaDevices.getUserMedia = async (constraints) => {
    if (constraints?.video) throw new DOMException('no', name);
    return getUserMedia(constraints);
  };
  Object.assign(navigator, { permissions: { query: async () => ({ state: 'granted' }) } });
  const media = createMedia();
  await media.start();
  expect(media.read()).toMatchObject({ stage: 'on', camera: null, microphone: { readyState: 'live' } });
  expect(media.read().trouble).toEqual({ camera: is });
  expect(deviceMessage('camera', is)).toMatch(/\.$/);
});

test('requests exactly the chosen device, and any other when that one is gone', async () => {
  const requested: unknown[] = [];
  const { getUserMedia } = navigator.mediaDevices;
  let present = ['front', 'headset'];
  navigator.mediaDevices.getUserMedia = async (constraints) => {
    const ids = [constraints?.video, constraints?.audio].map((of) => (of as MediaTrackConstraints)?.deviceId);
    const exact = ids.flatMap((id) => (id as { exact: string })?.exact ?? []);
    requested.push(exact);
    if (exact.some((id) => !present.includes(id))) throw new DOMException('no', 'OverconstrainedError');
    return getUserMedia(constraints);
  };
  const media = createMedia();
  await media.start();
  await media.choose('camera', 'front');
  await media.choose('microphone', 'headset');
  media.close();
  await media.start();
  present = ['front'];
  media.close();
  await media.start();
  expect(requested).toEqual([
    ...[[], ['front'], ['headset'], ['front', 'headset']],
    ...[['front', 'headset'], ['front'], ['headset'], []],
  ]);
  expect(media.read()).toMatchObject({
    camera: { readyState: 'live' },
    microphone: { readyState: 'live' },
    trouble: {},
  });
});

test('switches cameras on a phone, which can open only one at a time', async () => {
  const { getUserMedia } = navigator.mediaDevices;
  navigator.mediaDevices.getUserMedia = async (constraints) => {
    if (constraints?.video && running().some(({ kind }) => kind === 'video'))
      throw new DOMException('Could not start video source', 'NotReadableError');
    return getUserMedia(constraints);
  };
  const media = createMedia();
  await media.start();
  const { camera } = media.read();
  await media.choose('camera', 'back');
  expect(media.read()).toMatchObject({ camera: { readyState: 'live' }, trouble: {} });
  expect(media.read().camera).not.toBe(camera);

  navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('busy', 'NotReadableError'));
  await media.choose('camera', 'front');
  expect(media.read()).toMatchObject({ camera: null, trouble: { camera: 'busy' } });
});
