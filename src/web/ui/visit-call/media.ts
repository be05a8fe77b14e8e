import { type DeviceChoice, type DeviceKind, readDeviceChoice, storeDeviceChoice } from './device-choice.ts';
import { createStore } from './store.ts';

export type DeviceTrouble = 'blocked' | 'missing' | 'busy' | 'unsupported' | 'unplugged' | 'failed';
type Captured = 'camera' | 'microphone';

export type MediaState = {
  stage: 'off' | 'asking' | 'on';
  camera: MediaStreamTrack | null;
  microphone: MediaStreamTrack | null;
  screen: MediaStreamTrack | null;
  isMuted: boolean;
  /** Why a wanted device is missing. */
  trouble: Partial<Record<Captured, DeviceTrouble>>;
  devices: Record<DeviceKind, MediaDeviceInfo[]>;
  choice: DeviceChoice;
  /** Null when the platform does not support background blur. */
  isBlurred: boolean | null;
};

/** What the participant chose to hide from the other side. */
export type Hidden = { isMuted: boolean; isCameraOff: boolean; isBlurred: boolean };
const NOTHING_HIDDEN: Hidden = { isMuted: false, isCameraOff: false, isBlurred: false };

const TROUBLES: Record<string, DeviceTrouble> = {
  NotAllowedError: 'blocked',
  SecurityError: 'blocked',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
  NotReadableError: 'busy',
  AbortError: 'busy',
};
const DEVICES: Record<MediaDeviceKind, DeviceKind> = {
  videoinput: 'camera',
  audioinput: 'microphone',
  audiooutput: 'speaker',
};
const CAPTURED: Captured[] = ['camera', 'microphone'];
const PICTURE = { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { max: 30 } };

type BlurConstraint = MediaTrackConstraintSet & { backgroundBlur?: boolean };
const canBlur = (track: MediaStreamTrack): boolean => {
  const { backgroundBlur } = (track.getCapabilities?.() ?? {}) as { backgroundBlur?: boolean[] };
  return backgroundBlur?.includes(true) === true && backgroundBlur.includes(false);
};

const blurOf = (track: MediaStreamTrack, backgroundBlur: boolean): Promise<void> =>
  track.applyConstraints({ ...PICTURE, backgroundBlur } as BlurConstraint);

export const canCall = (): boolean =>
  typeof RTCPeerConnection === 'function' && Boolean(navigator.mediaDevices?.getUserMedia);
export const canShareScreen = (): boolean => Boolean(navigator.mediaDevices?.getDisplayMedia);

export type Media = ReturnType<typeof createMedia>;

/**
 * Creates the local media: camera, microphone and screen, and the choice of devices. It requests no device before
 * `start`, and starts with everything hidden that `hidden` says.
 */
export function createMedia(hidden: Hidden = NOTHING_HIDDEN) {
  const store = createStore<MediaState>({
    stage: 'off',
    camera: null,
    microphone: null,
    screen: null,
    isMuted: hidden.isMuted,
    trouble: {},
    devices: { camera: [], microphone: [], speaker: [] },
    choice: readDeviceChoice(),
    isBlurred: null,
  });
  const { read, change } = store;
  let isClosed = false;
  let wantsBlur = hidden.isBlurred;
  let wantsCamera = !hidden.isCameraOff;

  // `exact`, because Chromium ignores an `ideal` device.
  const constraintsOf = (kind: Captured, { [kind]: id }: DeviceChoice): MediaTrackConstraints => ({
    ...(kind === 'camera' ? PICTURE : { echoCancellation: true, noiseSuppression: true }),
    ...(id && { deviceId: { exact: id } }),
  });
  const requestDevices = (kinds: Captured[], choice = read().choice) =>
    navigator.mediaDevices.getUserMedia({
      ...(kinds.includes('camera') && { video: constraintsOf('camera', choice) }),
      ...(kinds.includes('microphone') && { audio: constraintsOf('microphone', choice) }),
    });
  /** Requests the chosen device, or any other when that one is gone. */
  const requestDevice = (kind: Captured) =>
    requestDevices([kind]).catch((error: Error) => {
      if (TROUBLES[error.name] !== 'missing' || !read().choice[kind]) throw error;
      return requestDevices([kind], {});
    });
  const troubleWithout = (kind: Captured) => {
    const { [kind]: _, ...rest } = read().trouble;
    return rest;
  };
  const fail = (kind: Captured, error: unknown) =>
    change({
      ...(read()[kind]?.readyState === 'ended' && { [kind]: null }),
      trouble: { ...read().trouble, [kind]: TROUBLES[(error as Error).name] ?? 'failed' },
    });

  function acceptTrack(kind: Captured, track: MediaStreamTrack): void {
    // No longer wanted when it was granted.
    if (isClosed || (kind === 'camera' && !wantsCamera)) {
      track.stop();
      return;
    }
    read()[kind]?.stop();
    track.addEventListener('ended', () => void handleEnded(kind, track));
    if (kind === 'microphone') track.enabled = !read().isMuted;
    const blur = kind === 'camera' ? { isBlurred: canBlur(track) ? wantsBlur : null } : {};
    change({ [kind]: track, trouble: troubleWithout(kind), ...blur });
  }
  /**
   * A device was unplugged: another microphone replaces it automatically, because the participant does not notice that
   * the sound is gone.
   */
  async function handleEnded(kind: Captured, track: MediaStreamTrack): Promise<void> {
    if (read()[kind] !== track) return;
    change({ [kind]: null, trouble: { ...read().trouble, [kind]: 'unplugged' } });
    if (kind === 'microphone') await turnOn(kind).catch(() => undefined);
    if (!read()[kind]) change({ trouble: { ...read().trouble, [kind]: 'unplugged' } });
  }
  async function listDevices(): Promise<void> {
    const devices: MediaState['devices'] = { camera: [], microphone: [], speaker: [] };
    for (const device of await navigator.mediaDevices.enumerateDevices())
      if (device.deviceId) devices[DEVICES[device.kind]].push(device);
    change({ devices });
  }
  /** A background that was blurred once is blurred in each new camera track. */
  async function blurAgain(track: MediaStreamTrack): Promise<void> {
    if (wantsBlur && canBlur(track)) await blurOf(track, true).catch(() => undefined);
  }
  async function turnOn(kind: Captured): Promise<void> {
    try {
      const [track] = (await requestDevice(kind)).getTracks();
      if (track && kind === 'camera') await blurAgain(track);
      if (track) acceptTrack(kind, track);
    } catch (error) {
      fail(kind, error);
    }
    await listDevices();
  }
  /**
   * Returns true if a request for this device alone could succeed; a prompt that the user dismissed is not shown again.
   */
  async function canRequest(kind: Captured, error: unknown): Promise<boolean> {
    if (TROUBLES[(error as Error).name] !== 'blocked') return true;
    const permission = navigator.permissions?.query({ name: kind as PermissionName });
    return (await permission?.catch(() => null))?.state === 'granted';
  }
  async function startBoth(): Promise<void> {
    try {
      for (const track of (await requestDevices(CAPTURED)).getTracks()) {
        if (track.kind === 'video') await blurAgain(track);
        acceptTrack(track.kind === 'video' ? 'camera' : 'microphone', track);
      }
    } catch (error) {
      // One of the two devices may still be available.
      for (const kind of CAPTURED) {
        if (await canRequest(kind, error)) await turnOn(kind);
        else fail(kind, error);
      }
    }
  }
  const onChange = () => void listDevices().catch(() => undefined);

  function stopTrack(kind: Captured | 'screen'): void {
    read()[kind]?.stop();
    change({ [kind]: null });
  }

  return {
    read,
    subscribe: store.subscribe,
    hidden: (): Hidden => ({ isMuted: read().isMuted, isCameraOff: !wantsCamera, isBlurred: wantsBlur }),
    async start(): Promise<void> {
      if (!canCall()) return change({ stage: 'on', trouble: { camera: 'unsupported', microphone: 'unsupported' } });
      // A second call may follow one that is over.
      isClosed = false;
      navigator.mediaDevices.addEventListener('devicechange', onChange);
      change({ stage: 'asking', trouble: {} });
      await (wantsCamera ? startBoth() : turnOn('microphone'));
      await listDevices();
      if (!isClosed) change({ stage: 'on' });
    },
    mute(isMuted: boolean): void {
      const { microphone } = read();
      if (microphone) microphone.enabled = !isMuted;
      change({ isMuted });
    },
    /** Off stops the camera, including its light; on requests it again. */
    async showCamera(isOn: boolean): Promise<void> {
      wantsCamera = isOn;
      if (isOn) await turnOn('camera');
      else stopTrack('camera');
    },
    async requestAgain(kind: Captured): Promise<void> {
      if (kind === 'camera') wantsCamera = true;
      await turnOn(kind);
    },
    async choose(kind: DeviceKind, id: string): Promise<void> {
      const choice = { ...read().choice, [kind]: id };
      storeDeviceChoice(choice);
      change({ choice });
      // Many phones cannot open a second camera while the first is open.
      if (kind === 'camera') read().camera?.stop();
      if (kind !== 'speaker' && (read()[kind] || read().trouble[kind])) await turnOn(kind);
    },
    async blur(isBlurred: boolean): Promise<void> {
      const { camera } = read();
      if (!camera || read().isBlurred === null) return;
      await blurOf(camera, isBlurred);
      wantsBlur = isBlurred;
      change({ isBlurred });
    },
    async shareScreen(): Promise<void> {
      const [track] = (await navigator.mediaDevices.getDisplayMedia({ video: true, audio: false })).getVideoTracks();
      if (!track) return;
      // The call ended before the user chose a screen.
      if (isClosed) return track.stop();
      read().screen?.stop();
      track.contentHint = 'detail';
      track.addEventListener('ended', () => read().screen === track && change({ screen: null }));
      change({ screen: track });
    },
    stopScreen: () => stopTrack('screen'),
    close(): void {
      isClosed = true;
      navigator.mediaDevices?.removeEventListener('devicechange', onChange);
      for (const kind of ['camera', 'microphone', 'screen'] as const) stopTrack(kind);
      change({ stage: 'off' });
    },
  };
}
