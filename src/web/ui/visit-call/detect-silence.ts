const POLL_INTERVAL_MS = 500;
/** Audio alone arrives fifty times a second; a browser reports a broken connection only after several seconds. */
export const SILENT_MS = 1_000;

type Receiver = Pick<RTCRtpReceiver, 'getSynchronizationSources'>;

/** The browser's timestamp of the last received packet; 0 before the first one. */
export const lastPacketTime = (peer: { getReceivers(): Receiver[] }): number =>
  Math.max(
    0,
    ...peer
      .getReceivers()
      .flatMap((receiver) => receiver.getSynchronizationSources().map(({ timestamp }) => timestamp)),
  );

/**
 * Calls back once for each silence after received packets. It may be a network change, which browsers report only after
 * several missed responses.
 */
export function detectSilence(peer: { getReceivers(): Receiver[] }, onSilence: () => void): () => void {
  let newest = 0;
  let receivedAt: number | null = null;
  const timer = setInterval(() => {
    const now = performance.now();
    const latest = lastPacketTime(peer);
    if (latest > newest) {
      newest = latest;
      receivedAt = now;
    } else if (receivedAt !== null && now - receivedAt > SILENT_MS) {
      receivedAt = null;
      onSilence();
    }
  }, POLL_INTERVAL_MS);
  return () => clearInterval(timer);
}
