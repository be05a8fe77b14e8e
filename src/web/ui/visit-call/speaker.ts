type WithSink = HTMLMediaElement & { setSinkId?: (id: string) => Promise<void> };

export const canChooseSpeaker = (): boolean => 'setSinkId' in HTMLMediaElement.prototype;

/** Plays an element on a speaker, if the browser supports the choice; an unplugged speaker is ignored. */
export async function playOn(element: HTMLMediaElement, speaker: string | undefined): Promise<void> {
  await (element as WithSink).setSinkId?.(speaker ?? '').catch(() => undefined);
}

const TONES_HZ = [523, 659, 784];
const TONE_S = 0.25;

/** Plays three rising tones on a speaker. Resolves when they are over. */
export async function playTones(speaker: string | undefined): Promise<void> {
  const context = new AudioContext();
  const destination = context.createMediaStreamDestination();
  const volume = context.createGain();
  volume.gain.value = 0.3;
  volume.connect(destination);
  TONES_HZ.forEach((frequency, index) => {
    const tone = context.createOscillator();
    tone.frequency.value = frequency;
    tone.connect(volume);
    tone.start(context.currentTime + index * TONE_S);
    tone.stop(context.currentTime + (index + 1) * TONE_S);
  });
  const element = new Audio();
  element.srcObject = destination.stream;
  try {
    await playOn(element, speaker);
    await element.play();
    await new Promise((resolve) => setTimeout(resolve, TONES_HZ.length * TONE_S * 1000));
  } finally {
    element.srcObject = null;
    await context.close();
  }
}
