import type { DeviceState } from '#contract/visit-test.ts';

export type TriedDevices = { state: DeviceState; stream: MediaStream | null };

const ask = (wanted: MediaStreamConstraints): Promise<MediaStream | string> =>
  navigator.mediaDevices.getUserMedia(wanted).catch((error: DOMException) => error.name);
const isGiven = (answer: MediaStream | string): answer is MediaStream => typeof answer !== 'string';
const stop = (stream: MediaStream) => {
  for (const track of stream.getTracks()) track.stop();
};

/** Requests camera and microphone, and determines which of them is blocked. The caller stops the stream. */
export async function tryDevices(): Promise<TriedDevices> {
  // Browsers expose devices only to secure (HTTPS) pages.
  if (!navigator.mediaDevices?.getUserMedia || typeof RTCPeerConnection === 'undefined')
    return { state: 'unsupported', stream: null };
  const both = await ask({ video: true, audio: true });
  if (isGiven(both)) return { state: 'ok', stream: both };
  if (both === 'NotReadableError' || both === 'AbortError') return { state: 'in_use', stream: null };
  if (both !== 'NotAllowedError' && both !== 'SecurityError') return { state: 'no_devices', stream: null };
  const sound = await ask({ audio: true });
  if (isGiven(sound)) {
    stop(sound);
    return { state: 'camera_blocked', stream: null };
  }
  const picture = await ask({ video: true });
  if (isGiven(picture)) stop(picture);
  return { state: isGiven(picture) ? 'microphone_blocked' : 'camera_blocked', stream: null };
}
