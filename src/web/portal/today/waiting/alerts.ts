import type { WaitingView } from '#contract/visits.ts';

export type NotificationState = 'on' | 'ask' | 'refused' | 'unsupported';

/** Notification permission of this browser. */
export function notificationState(): NotificationState {
  if (typeof Notification === 'undefined') return 'unsupported';
  return ({ granted: 'on', denied: 'refused', default: 'ask' } as const)[Notification.permission];
}

/**
 * Shows a notification without a patient's name, because it may appear on a locked screen. A click leads to the page.
 */
export function showNotification({ appointment_id, practitioner }: WaitingView): void {
  if (notificationState() !== 'on' || document.visibilityState === 'visible') return;
  const note = new Notification('A patient is waiting', {
    body: `For a video visit with ${practitioner}`,
    // Notifications of several tabs replace each other.
    tag: `carelane-waiting-${appointment_id}`,
  });
  note.onclick = () => {
    window.focus();
    note.close();
  };
}

/** Two tones of a distant bell: frequency in Hz, and start in seconds. */
const TONES = [
  { hertz: 660, at: 0 },
  { hertz: 528, at: 0.22 },
];
const TONE_SECONDS = 0.6;
const MAX_GAIN = 0.12;
/** Lock: of several tabs with the same patient, one rings. */
const BELL_LOCK = 'carelane-bell';
const RING_MS = 2_000;

/** Rings once. Silent in a browser that blocks sound before the first user action. */
export async function ring(): Promise<void> {
  if (!navigator.locks) return sound();
  await navigator.locks.request(BELL_LOCK, { ifAvailable: true }, async (lock) => {
    if (!lock) return;
    await sound();
    await new Promise((resolve) => setTimeout(resolve, RING_MS));
  });
}

async function sound(): Promise<void> {
  const context = new AudioContext();
  for (const { hertz, at } of TONES) {
    const from = context.currentTime + at;
    const tone = new OscillatorNode(context, { frequency: hertz });
    const volume = new GainNode(context, { gain: 0 });
    volume.gain.setValueAtTime(0, from);
    volume.gain.linearRampToValueAtTime(MAX_GAIN, from + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.001, from + TONE_SECONDS);
    tone.connect(volume).connect(context.destination);
    tone.start(from);
    tone.stop(from + TONE_SECONDS);
  }
  setTimeout(() => void context.close(), RING_MS);
}

const COUNT = /^\(\d+\) /;

/** "(2) Today · Carelane", or the title alone where the count is zero. */
export const withCount = (title: string, count: number): string =>
  `${count > 0 ? `(${count}) ` : ''}${title.replace(COUNT, '')}`;

/**
 * Adds the count to the page's title, also when other code sets the title.
 * @returns a function that stops this and removes the count
 */
export function showCountInTitle(count: number): () => void {
  const update = () => {
    const title = withCount(document.title, count);
    if (document.title !== title) document.title = title;
  };
  update();
  const watch = new MutationObserver(update);
  watch.observe(document.head, { childList: true, subtree: true, characterData: true });
  return () => {
    watch.disconnect();
    document.title = withCount(document.title, 0);
  };
}
