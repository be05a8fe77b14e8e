/** Enough for 720 lines at thirty pictures a second; more would only crowd out the sound, and fill a thin line. */
const MOST_BITS_PER_SECOND = 1_500_000;

type Sender = Pick<RTCRtpSender, 'getParameters' | 'setParameters'>;

/** Keeps what is sent of a picture within bounds. A browser that cannot say so yet, or at all, sends as it likes. */
export async function capPicture(sender: Sender): Promise<void> {
  const parameters = sender.getParameters();
  const { encodings } = parameters;
  // Firefox has none before the line is negotiated, and takes none then.
  if (!encodings?.length || encodings.every(({ maxBitrate }) => maxBitrate === MOST_BITS_PER_SECOND)) return;
  for (const encoding of encodings) encoding.maxBitrate = MOST_BITS_PER_SECOND;
  await sender.setParameters(parameters).catch(() => undefined);
}
