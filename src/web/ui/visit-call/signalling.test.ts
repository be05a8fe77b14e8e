import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CallSignal } from '#contract/visit-call.ts';
import { createEventReader, openSignalling, type StreamEvent } from './signalling.ts';

const OFFER: CallSignal = { kind: 'description', type: 'offer', sdp: 'v=0' };
const NONE = { onRoom: () => {}, onSignal: () => {}, onStreamChange: () => {}, onSeatLost: () => {} };

/** A network that can be cut, and the messages that arrived. */
const network = {
  isUp: true,
  isHanging: false,
  bodies: [] as string[],
  streams: [] as AbortSignal[],
  piece: '',
  cut: null as null | (() => void),
};

beforeEach(() => {
  Object.assign(network, { isUp: true, isHanging: false, bodies: [], streams: [], piece: '' });
  vi.stubGlobal('fetch', async (path: string, { signal, body }: { signal: AbortSignal; body?: string }) => {
    if (!network.isUp) throw new TypeError('Failed to fetch');
    if (path === '/api/calls/here') return new Response(null, { status: 204 });
    if (path !== '/api/calls/stream') {
      if (network.isHanging)
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
      network.bodies.push(body!);
      return new Response(null, { status: 204 });
    }
    network.streams.push(signal);
    return new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(network.piece));
          network.cut = () => controller.error(new Error('cut'));
          signal.addEventListener('abort', () => controller.error(new Error('aborted')));
        },
      }),
    );
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('delivers an offer once that is sent repeatedly while the network is down, as soon as it is back', async () => {
  vi.useFakeTimers();
  const signalling = openSignalling({ key: 'key' }, NONE);
  network.isUp = false;
  for (let tries = 0; tries < 4; tries += 1) {
    void signalling.send('other', OFFER);
    await vi.advanceTimersByTimeAsync(3_500);
  }
  network.isUp = true;
  signalling.reopen();
  await vi.advanceTimersByTimeAsync(50);
  expect(network.bodies).toHaveLength(1);
  await signalling.send('other', OFFER);
  expect(network.bodies, 'a delivered signal may be sent again').toHaveLength(2);
  signalling.close();
});

test('delivers postponed signals as soon as the event stream is connected again', async () => {
  vi.useFakeTimers();
  const signalling = openSignalling({ key: 'key' }, NONE);
  await vi.advanceTimersByTimeAsync(50);
  network.isUp = false;
  network.cut?.();
  // The retries of the stream and of the offer must not coincide.
  await vi.advanceTimersByTimeAsync(2_000);
  void signalling.send('other', OFFER);
  await vi.advanceTimersByTimeAsync(9_000);
  network.isUp = true;
  const before = network.streams.length;
  while (network.streams.length === before) await vi.advanceTimersByTimeAsync(100);
  await vi.advanceTimersByTimeAsync(100);
  expect(network.bodies).toHaveLength(1);
  signalling.close();
});

test('restarts the backoff after a network change, even if the new network fails at first', async () => {
  vi.useFakeTimers();
  const signalling = openSignalling({ key: 'key' }, NONE);
  await vi.advanceTimersByTimeAsync(50);
  network.isUp = false;
  network.cut?.();
  void signalling.send('other', OFFER);
  await vi.advanceTimersByTimeAsync(10_000);
  const before = network.streams.length;
  signalling.reopen();
  await vi.advanceTimersByTimeAsync(100);
  network.isUp = true;
  await vi.advanceTimersByTimeAsync(700);
  expect([network.streams.length, network.bodies.length]).toEqual([before + 1, 1]);
  signalling.close();
});

test('aborts a hanging request after a network change, and sends it again at once', async () => {
  vi.useFakeTimers();
  const signalling = openSignalling({ key: 'key' }, NONE);
  network.isHanging = true;
  void signalling.send('other', OFFER);
  await vi.advanceTimersByTimeAsync(1_000);
  network.isHanging = false;
  signalling.reopen();
  await vi.advanceTimersByTimeAsync(400);
  expect(network.bodies).toHaveLength(1);
  signalling.close();
});

test('closes an unreadable stream before it opens another', async () => {
  network.piece = 'event: room\ndata: no json\n\n';
  const signalling = openSignalling({ key: 'key' }, NONE);
  await expect.poll(() => network.streams.length).toBeGreaterThan(1);
  expect(network.streams[0]?.aborted).toBe(true);
  signalling.close();
});

const TEXT = ': hello\n\nevent: room\ndata: {"a":1}\n\nid: 7\nevent: signal\ndata: one\ndata: two\n\n: ping\n\n';
const EVENTS: StreamEvent[] = [
  { event: 'room', id: null, data: '{"a":1}' },
  { event: 'signal', id: '7', data: 'one\ntwo' },
];

test.each([1, 2, 7, 1000])('parses a stream that is cut into pieces of %i characters', (size) => {
  const events: StreamEvent[] = [];
  const read = createEventReader((event) => events.push(event));
  for (let offset = 0; offset < TEXT.length; offset += size) read(TEXT.slice(offset, offset + size));
  expect(events).toEqual(EVENTS);
});

test('accepts CRLF line endings, and drops an incomplete event', () => {
  const events: StreamEvent[] = [];
  const read = createEventReader((event) => events.push(event));
  read(TEXT.replaceAll('\n', '\r\n'));
  read('event: room\ndata: half');
  expect(events).toEqual(EVENTS);
});
