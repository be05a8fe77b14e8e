import { expect, test, vi } from 'vitest';
import { capVideoBitrate } from './video-bitrate.ts';

/** As in browsers, parameters must be written back with their transaction id. */
function senderOf(encodings: RTCRtpEncodingParameters[]) {
  let kept = { transactionId: '1', encodings } as RTCRtpSendParameters;
  return {
    getParameters: () => structuredClone(kept),
    setParameters: vi.fn(async (next: RTCRtpSendParameters) => {
      if (next.transactionId !== kept.transactionId) throw new Error('InvalidModificationError');
      kept = next;
    }),
    rates: () => kept.encodings.map(({ maxBitrate }) => maxBitrate),
  };
}

test('limits video to 1.5 Mbit/s, and sets the limit once', async () => {
  const sender = senderOf([{ active: true, maxBitrate: 8_000_000 }, {}]);
  await capVideoBitrate(sender);
  await capVideoBitrate(sender);
  expect(sender.rates()).toEqual([1_500_000, 1_500_000]);
  expect(sender.setParameters).toHaveBeenCalledOnce();
});

test('sets nothing before there are encodings', async () => {
  const sender = senderOf([]);
  await capVideoBitrate(sender);
  expect(sender.setParameters).not.toHaveBeenCalled();
});

test('ignores a browser that rejects the limit', async () => {
  const refusing = { ...senderOf([{}]), setParameters: () => Promise.reject(new Error('no')) };
  await expect(capVideoBitrate(refusing)).resolves.toBeUndefined();
});
