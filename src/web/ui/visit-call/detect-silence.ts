const EVERY_MS = 500;
/** Audio alone arrives fifty times a second; a browser reports a broken connection only after several seconds. */
export const SILENT_MS = 1_000;

type Heard = Pick<RTCRtpReceiver, 'getSynchronizationSources'>;

/** The browser's timestamp of the last received packet; 0 before the first one. */
export const lastPacketTime = (peer: { getReceivers(): Heard[] }): number =>
  Math.max(
    0,
    ...peer.getReceivers().flatMap((one) => one.getSynchronizationSources().map(({ timestamp }) => timestamp)),
  );

/**
 * Calls back once for each silence after received packets. It may be a network change, which browsers report only after
 * several missed responses.
 */
export function detectSilence(peer: { getReceivers(): Heard[] }, onSilence: () => void): () => void {
  let newest = 0;
  let heardAt: number | null = null;
  const timer = setInterval(() => {
    const now = performance.now();
    const latest = lastPacketTime(peer);
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
