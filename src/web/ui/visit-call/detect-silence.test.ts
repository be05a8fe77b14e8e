import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { detectSilence } from './detect-silence.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A connection that receives packets while `isFlowing` is true. */
function lineOf() {
  const startedAt = performance.now();
  const line = { isFlowing: false, last: 0 };
  const source = () => {
    if (line.isFlowing) line.last = 1 + performance.now() - startedAt;
    return line.last > 0 ? [{ source: 1, timestamp: line.last, rtpTimestamp: 0 }] : [];
  };
  return { line, peer: { getReceivers: () => [{ getSynchronizationSources: source }] } };
}

test('reports each silence once, and only after packets have arrived', async () => {
  const { line, peer } = lineOf();
  const onSilence = vi.fn();
  const stop = detectSilence(peer, onSilence);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(onSilence, 'no packet has arrived yet').not.toHaveBeenCalled();
  for (let silences = 1; silences <= 2; silences += 1) {
    line.isFlowing = true;
    await vi.advanceTimersByTimeAsync(5_000);
    line.isFlowing = false;
    await vi.advanceTimersByTimeAsync(700);
    expect(onSilence, 'the silence is too short').toHaveBeenCalledTimes(silences - 1);
    await vi.advanceTimersByTimeAsync(1_300);
    expect(onSilence).toHaveBeenCalledTimes(silences);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(onSilence).toHaveBeenCalledTimes(silences);
  }
  line.isFlowing = true;
  await vi.advanceTimersByTimeAsync(1_000);
  line.isFlowing = false;
  stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(onSilence).toHaveBeenCalledTimes(2);
});
