import type { LineQuality } from '#contract/visit-call.ts';
import type { DeviceState, LineWay, VisitTestResult } from '#contract/visit-test.ts';

type Said = { title: string; advice: string | null };
const ALLOW =
  'Press the sign to the left of the address at the top of your browser, allow camera and microphone, and try again.';

/** Texts for patients, including those without experience of video appointments. */
export const DEVICE_WORDS: Record<DeviceState, Said> = {
  ok: { title: 'Your camera and microphone work', advice: null },
  camera_blocked: { title: 'Your browser is blocking your camera on this page', advice: ALLOW },
  microphone_blocked: { title: 'Your browser is blocking your microphone on this page', advice: ALLOW },
  no_devices: {
    title: 'A camera or a microphone is missing',
    advice: 'Plug in what is missing and try again, or open your link on a phone, which has both.',
  },
  in_use: {
    title: 'Another app is using your camera or microphone',
    advice: 'Close other apps for calls, and other tabs with video, then try again.',
  },
  unsupported: {
    title: 'This browser has no video calls',
    advice: 'Open your link in an up-to-date Chrome, Edge, Firefox or Safari.',
  },
};

export const LINE_WORDS: Record<LineQuality, Said> = {
  good: { title: 'Your connection is fast enough', advice: null },
  thin: {
    title: 'Your connection is slow',
    advice: 'The picture may stop at times. It helps to be near your Wi-Fi box, or to stop downloads and other videos.',
  },
  broken: {
    title: 'Your connection is too slow, or breaks off',
    advice: 'Try another network, for instance that of your phone.',
  },
};

export const WAY_WORDS: Record<LineWay, Said | null> = {
  direct: { title: 'A video call gets through to you', advice: null },
  relay: { title: 'A video call gets through to you, by a helper server', advice: null },
  none: {
    title: 'Your network lets no video call through',
    advice: 'Company and hospital networks often do so. Try another one, for instance that of your phone.',
  },
  // No STUN or TURN server was available for the test.
  unknown: null,
};

export const isFine = ({ devices, way, line }: Omit<VisitTestResult, 'at'>): boolean =>
  devices === 'ok' && way !== 'none' && line === 'good';
