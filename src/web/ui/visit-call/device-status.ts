/** The device state that a participant sends to the other side. */
export type DeviceStatus = {
  /** `none`: there is no microphone, or the browser blocks it. */
  microphone: 'on' | 'muted' | 'none';
  camera: 'on' | 'off';
};

const MICROPHONES: readonly unknown[] = ['on', 'muted', 'none'] satisfies DeviceStatus['microphone'][];
const CAMERAS: readonly unknown[] = ['on', 'off'] satisfies DeviceStatus['camera'][];
const MAX_LENGTH = 200;

export const serializeDeviceStatus = ({ microphone, camera }: DeviceStatus): string =>
  JSON.stringify({ microphone, camera });

/** Parses the data of the other side's page; null when it is not a valid state. */
export function parseDeviceStatus(data: unknown): DeviceStatus | null {
  if (typeof data !== 'string' || data.length > MAX_LENGTH) return null;
  try {
    const { microphone, camera } = JSON.parse(data) as DeviceStatus;
    return MICROPHONES.includes(microphone) && CAMERAS.includes(camera) ? { microphone, camera } : null;
  } catch {
    return null;
  }
}

export const deviceStatusOf = (media: { microphone: unknown; camera: unknown; isMuted: boolean }): DeviceStatus => ({
  microphone: media.microphone ? (media.isMuted ? 'muted' : 'on') : 'none',
  camera: media.camera ? 'on' : 'off',
});
