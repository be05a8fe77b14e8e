/** Two tones, as of a door bell that is far away; Hz, and when each begins (seconds). */
const TONES = [
  { hertz: 660, at: 0 },
  { hertz: 528, at: 0.22 },
];
const TONE_SECONDS = 0.6;
const LOUDEST = 0.12;
/** Of several tabs that hear of the same patient one rings. */
const BELL = 'carelane-bell';
const HELD_MS = 2_000;

/** Rings once. A browser that lets a page make no sound before somebody has pressed something leaves it silent. */
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
