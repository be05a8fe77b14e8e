/** Enough for 720p at 30 frames per second; more would compete with the sound and fill a slow connection. */
const MOST_BITS_PER_SECOND = 1_500_000;

type Sender = Pick<RTCRtpSender, 'getParameters' | 'setParameters'>;

/** Limits the bitrate of a video sender. Errors of browsers that do not support it are ignored. */
export async function capVideoBitrate(sender: Sender): Promise<void> {
  const parameters = sender.getParameters();
  const { encodings } = parameters;
  // Firefox has no encodings before negotiation, and accepts none then.
  if (!encodings?.length || encodings.every(({ maxBitrate }) => maxBitrate === MOST_BITS_PER_SECOND)) return;
  for (const encoding of encodings) encoding.maxBitrate = MOST_BITS_PER_SECOND;
  await sender.setParameters(parameters).catch(() => undefined);
}
