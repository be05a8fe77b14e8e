import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  type ConnectionReport,
  createQualityRater,
  type QualitySample,
  rateSample,
  watchConnection,
} from './connection-quality.ts';

const GOOD: QualitySample = { lostIn: 0, lostOut: 0.01, roundTrip: 0.05, canSend: 2_000_000 };

test.each<[Partial<QualitySample>, string]>([
  [{}, 'good'],
  [{ lostIn: null, lostOut: null, roundTrip: null, canSend: null }, 'good'],
  [{ lostIn: 0.07 }, 'thin'],
  [{ lostOut: 0.07 }, 'thin'],
  [{ roundTrip: 0.7 }, 'thin'],
  [{ canSend: 90_000 }, 'thin'],
  [{ lostIn: 0.4 }, 'broken'],
  [{ roundTrip: 3 }, 'broken'],
])('rates a connection with %o as %s', (change, quality) => {
  expect(rateSample({ ...GOOD, ...change })).toBe(quality);
});

test('changes the rating only after three samples in a row', () => {
  const rate = createQualityRater();
  const thin = { ...GOOD, lostIn: 0.1 };
  const broken = { ...GOOD, lostIn: 0.5 };
  const samples = [GOOD, thin, GOOD, thin, thin, broken, broken, broken, broken, GOOD, GOOD, GOOD];
  const ratings = samples.map(rate);
  expect(ratings).toEqual([
    ...['good', 'good', 'good', 'good', 'good', 'thin', 'thin', 'broken', 'broken', 'broken', 'broken', 'good'],
  ]);
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const CHOSEN = { nominated: true, state: 'succeeded' };

test('ignores the reported loss of a video track that is no longer sent', async () => {
  const sent = { sound: 0, picture: 0 };
  const stats = () =>
    new Map<string, object>([
      ['sound', { id: 'sound', type: 'outbound-rtp', kind: 'audio', packetsSent: sent.sound }],
      ['picture', { id: 'picture', type: 'outbound-rtp', kind: 'video', packetsSent: sent.picture }],
      ['way', { id: 'way', type: 'candidate-pair', ...CHOSEN, availableOutgoingBitrate: 90_000 }],
      ['of sound', { id: 'of sound', type: 'remote-inbound-rtp', localId: 'sound', fractionLost: 0.01 }],
      ['of picture', { id: 'of picture', type: 'remote-inbound-rtp', localId: 'picture', fractionLost: 0.4 }],
    ]);
  const reports: ConnectionReport[] = [];
  const stop = watchConnection({ getStats: async () => stats() } as unknown as RTCPeerConnection, (report) =>
    reports.push(report),
  );
  for (const hasVideo of [true, true, false, false]) {
    sent.sound += 100;
    if (hasVideo) sent.picture += 100;
    await vi.advanceTimersByTimeAsync(2_000);
  }
  stop();
  expect(reports.map(({ sample }) => sample.lostOut)).toEqual([0.4, 0.4, 0.01, 0.01]);
  expect(reports.map(({ sample }) => sample.canSend)).toEqual([90_000, 90_000, null, null]);
});
