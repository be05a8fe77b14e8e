import type { LineQuality } from '#contract/visit-call.ts';
import type { Tone } from '#web/ui/badge.tsx';
import type { DeviceStatus } from './device-status.ts';
import type { DeviceTrouble } from './media.ts';

const UNSUPPORTED = 'This browser cannot make video calls. Open your link in a newer Chrome, Edge, Firefox or Safari.';

const DEVICE_MESSAGES: Record<'camera' | 'microphone', Record<DeviceTrouble, string>> = {
  camera: {
    blocked:
      'Your browser does not let this page use the camera. Press the camera or lock sign beside the address, allow it, then try again.',
    missing: 'No camera was found. You can talk without one, or plug one in and try again.',
    busy: 'Another app is using the camera. Close it there, then try again.',
    unsupported: UNSUPPORTED,
    unplugged: 'Your camera has stopped. Is it still plugged in?',
    failed: 'The camera could not be started. Try again.',
  },
  microphone: {
    blocked:
      'Your browser does not let this page use the microphone, so no one can hear you. Press the microphone or lock sign beside the address, allow it, then try again.',
    missing: 'No microphone was found, so no one can hear you. Plug one in, then try again.',
    busy: 'Another app is using the microphone. Close it there, then try again.',
    unsupported: UNSUPPORTED,
    unplugged: 'Your microphone has stopped. Is it still plugged in?',
    failed: 'The microphone could not be started. Try again.',
  },
};

export const deviceMessage = (device: 'camera' | 'microphone', trouble: DeviceTrouble): string =>
  DEVICE_MESSAGES[device][trouble];

/** The position in the queue and the delay in a sentence; empty when neither is known. */
export function waitMessage(before: number | null, delayMinutes: number | null): string {
  const position =
    before === null
      ? ''
      : before === 0
        ? 'You are next.'
        : `${before === 1 ? 'One person is' : `${before} people are`} before you.`;
  const delay =
    delayMinutes !== null && delayMinutes > 0
      ? `Your visit begins about ${delayMinutes} ${delayMinutes === 1 ? 'minute' : 'minutes'} late.`
      : '';
  return [position, delay].filter(Boolean).join(' ');
}

/** Why the other participant is not heard or seen, in a sentence; null when both work or the state is unknown. */
export function remoteDevicesMessage(name: string, state: DeviceStatus | null): string | null {
  const { microphone, camera } = state ?? { microphone: 'on', camera: 'on' };
  const sound = { on: '', muted: 'is muted', none: 'has no microphone' }[microphone];
  const picture = camera === 'off' ? 'has the camera off' : '';
  const all = [sound, picture].filter(Boolean).join(' and ');
  return all ? `${name} ${all}` : null;
}

/** The label of each connection quality. */
export const QUALITY_LABELS: Record<LineQuality, [tone: Tone, label: string]> = {
  good: ['good', 'Good connection'],
  thin: ['warn', 'Weak connection'],
  broken: ['danger', 'Bad connection'],
};
