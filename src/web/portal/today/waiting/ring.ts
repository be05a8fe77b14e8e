/** Two tones of a distant bell: frequency in Hz, and start in seconds. */
const TONES = [
  { hertz: 660, at: 0 },
  { hertz: 528, at: 0.22 },
];
const TONE_SECONDS = 0.6;
const LOUDEST = 0.12;
/** Lock: of several tabs with the same patient, one rings. */
const BELL = 'carelane-bell';
const HELD_MS = 2_000;

/** Rings once. Silent in a browser that blocks sound before the first user action. */
export async function ring(): Promise<void> {
  if (!navigator.locks) return sound();
  await navigator.locks.request(BELL, { ifAvailable: true }, async (lock) => {
    if (!lock) return;
    await sound();
    await new Promise((resolve) => setTimeout(resolve, HELD_MS));
  });
}

async function sound(): Promise<void> {
  const context = new AudioContext();
  for (const { hertz, at } of TONES) {
    const from = context.currentTime + at;
    const tone = new OscillatorNode(context, { frequency: hertz });
    const volume = new GainNode(context, { gain: 0 });
    volume.gain.setValueAtTime(0, from);
    volume.gain.linearRampToValueAtTime(LOUDEST, from + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.001, from + TONE_SECONDS);
    tone.connect(volume).connect(context.destination);
    tone.start(from);
    tone.stop(from + TONE_SECONDS);
  }
  setTimeout(() => void context.close(), HELD_MS);
}
