import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDraftSaver, type DraftState } from './draft-saver.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A server whose calls end when the test says so. */
function createServer(stored = '') {
  const calls: { text: string; end: () => void; fail: () => void }[] = [];
  const states: DraftState[] = [];
  const saver = createDraftSaver(stored, {
    store: (text) =>
      new Promise<void>((end, fail) => calls.push({ text, end, fail: () => fail(new Error('offline')) })),
    onState: (state) => states.push(state),
  });
  return { saver, calls, states, texts: () => calls.map(({ text }) => text) };
}
const settle = () => vi.advanceTimersByTimeAsync(0);

test('stores the latest text after a pause in typing', async () => {
  const { saver, calls, states, texts } = createServer();
  for (const text of ['a', 'ab', 'abc']) {
    saver.change(text);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(texts()).toEqual([]);
  await vi.advanceTimersByTimeAsync(500);
  expect(texts()).toEqual(['abc']);
  calls[0]!.end();
  await settle();
  expect(states.at(-1)).toBe('stored');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(texts()).toEqual(['abc']);
});

test('has one call at a time, and one for the text that was typed during it', async () => {
  const { saver, calls, states, texts } = createServer();
  saver.change('a');
  void saver.flush();
  void saver.flush();
  await settle();
  saver.change('ab');
  void saver.flush();
  void saver.flush();
  await settle();
  expect(texts()).toEqual(['a']);
  calls[0]!.end();
  await settle();
  expect(texts()).toEqual(['a', 'ab']);
  expect(states.at(-1)).toBe('saving');
  calls[1]!.end();
  await settle();
  expect(texts()).toEqual(['a', 'ab']);
  expect(states.at(-1)).toBe('stored');
});

test('a text that is as before is not stored', async () => {
  const { saver, states, texts } = createServer('before');
  saver.change('after');
  saver.change('before');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(texts()).toEqual([]);
  expect(states.at(-1)).toBe('stored');
});

test('a failed call is repeated by a flush and by the next change, and shows until then', async () => {
  const { saver, calls, states, texts } = createServer();
  saver.change('a');
  void saver.flush();
  await settle();
  calls[0]!.fail();
  await settle();
  expect(states.at(-1)).toBe('failed');
  saver.change('ab');
  expect(states.at(-1)).toBe('failed');
  await vi.advanceTimersByTimeAsync(1_500);
  calls[1]!.fail();
  await settle();
  void saver.flush();
  await settle();
  expect(texts()).toEqual(['a', 'ab', 'ab']);
  calls[2]!.end();
  await settle();
  expect(states.at(-1)).toBe('stored');
});

test('while held, waits for the running call and begins none', async () => {
  const { saver, calls, texts } = createServer();
  saver.change('a');
  void saver.flush();
  await settle();
  saver.change('ab');
  let isHeld = false;
  void saver.hold().then(() => {
    isHeld = true;
  });
  await settle();
  expect(isHeld).toBe(false);
  calls[0]!.end();
  await settle();
  expect(isHeld).toBe(true);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(texts()).toEqual(['a']);
  void saver.release();
  await settle();
  expect(texts()).toEqual(['a', 'ab']);
});
