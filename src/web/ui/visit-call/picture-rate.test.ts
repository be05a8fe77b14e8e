import { expect, test, vi } from 'vitest';
import { capPicture } from './picture-rate.ts';

/** As browsers are: what was read is written back whole, with its transaction. */
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

test('a picture is sent with 1.5 Mbit/s at most, which is said once', async () => {
  const sender = senderOf([{ active: true, maxBitrate: 8_000_000 }, {}]);
  await capPicture(sender);
  await capPicture(sender);
  expect(sender.rates()).toEqual([1_500_000, 1_500_000]);
  expect(sender.setParameters).toHaveBeenCalledOnce();
});

test('before there is anything to cap nothing is asked for', async () => {
  const sender = senderOf([]);
  await capPicture(sender);
  expect(sender.setParameters).not.toHaveBeenCalled();
});

test('a browser that refuses sends all the same', async () => {
  const refusing = { ...senderOf([{}]), setParameters: () => Promise.reject(new Error('no')) };
  await expect(capPicture(refusing)).resolves.toBeUndefined();
});
