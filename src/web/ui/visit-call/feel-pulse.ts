const EVERY_MS = 500;
/** Sound alone comes fifty times a second; a browser calls a line broken only after several. */
export const SILENT_MS = 1_000;

type Heard = Pick<RTCRtpReceiver, 'getSynchronizationSources'>;

/** When last something came of the other side, by the browser's own clock; 0 before anything has. */
export const lastHeard = (peer: { getReceivers(): Heard[] }): number =>
  Math.max(
    0,
    ...peer.getReceivers().flatMap((one) => one.getSynchronizationSources().map(({ timestamp }) => timestamp)),
  );

/**
 * Tells once of each silence: nothing comes of the other side any more, though something did. The network may be another,
 * which no browser says before it has missed several answers.
 */
export function feelPulse(peer: { getReceivers(): Heard[] }, onSilence: () => void): () => void {
  let newest = 0;
  let heardAt: number | null = null;
  const timer = setInterval(() => {
    const now = performance.now();
    const latest = lastHeard(peer);
    if (latest > newest) {
      newest = latest;
      heardAt = now;
    } else if (heardAt !== null && now - heardAt > SILENT_MS) {
      heardAt = null;
      onSilence();
    }
  }, EVERY_MS);
  return () => clearInterval(timer);
}
