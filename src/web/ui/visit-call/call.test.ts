import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CallSeatView, CallSignal, RoomView } from '#contract/visit-call.ts';
import { createCall, devicesOf } from './call.ts';
import { createMedia } from './media.ts';

/** The part of RTCPeerConnection that a call uses; the test plays the remote peer. */
class Peer extends EventTarget {
  static all: Peer[] = [];
  readonly end = Peer.all.push(this);
  connectionState = 'new';
  signalingState = 'stable';
  localDescription: { type: string; sdp: string } | null = null;
  remoteDescription: { type: string; sdp: string } | null = null;
  onnegotiationneeded: (() => void) | null = null;
  onconnectionstatechange: (() => void) | null = null;
  restarts = 0;
  createDataChannel() {
    return { readyState: 'connecting' };
  }
  getTransceivers() {
    return [];
  }
  packetTime = 0;
  getReceivers() {
    return [{ getSynchronizationSources: () => (this.packetTime > 0 ? [{ timestamp: this.packetTime }] : []) }];
  }
  addTransceiver() {
    queueMicrotask(() => this.signalingState === 'stable' && this.onnegotiationneeded?.());
  }
  async setLocalDescription() {
    const type = this.signalingState === 'have-remote-offer' ? 'answer' : 'offer';
    this.signalingState = type === 'offer' ? 'have-local-offer' : 'stable';
    this.localDescription = { type, sdp: sdpOf(`own${this.end}`) };
  }
  async setRemoteDescription(description: { type: string; sdp: string }) {
    this.signalingState = description.type === 'offer' ? 'have-remote-offer' : 'stable';
    this.remoteDescription = description;
  }
  async addIceCandidate() {}
  async getStats() {
    return new Map();
  }
  restartIce() {
    this.restarts += 1;
  }
  enter(state: string) {
    this.connectionState = state;
    this.onconnectionstatechange?.();
  }
  close() {
    this.signalingState = 'closed';
  }
}
const sdpOf = (end: string) => `v=0\r\no=- ${end} 2 IN IP4 127.0.0.1\r\n`;

let emit: (event: string, data: object) => void;
let cut: () => void;
let sent: CallSignal[];
let seq = 0;
const settle = () => vi.advanceTimersByTimeAsync(400);

beforeEach(() => {
  vi.useFakeTimers();
  Peer.all = [];
  sent = [];
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('RTCPeerConnection', Peer);
  vi.stubGlobal('MediaStream', class {});
  vi.stubGlobal('fetch', async (path: string, { signal, body }: { signal: AbortSignal; body?: string }) => {
    if (path === '/api/calls/signal') sent.push(JSON.parse(body!).signal);
    if (path !== '/api/calls/stream') return new Response(null, { status: 204 });
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        emit = (event, data) => {
          seq += 1;
          const id = event === 'signal' ? `id: ${seq}\n` : '';
          controller.enqueue(new TextEncoder().encode(`event: ${event}\n${id}data: ${JSON.stringify(data)}\n\n`));
        };
        cut = () => controller.error(new Error('cut'));
        signal.addEventListener('abort', cut);
      },
    });
    return new Response(stream);
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const seatOf = (side: CallSeatView['side']): CallSeatView => ({ seat_id: side, key: 'key', side, ice_servers: [] });
const emitRoom = (other: RoomView['other'], other_seat_id: string | null = other === 'absent' ? null : 'other') =>
  emit('room', { state: 'open', other, other_seat_id });
const emitDescription = (type: 'offer' | 'answer', end: string) =>
  emit('signal', { id: `${seq}`, from_seat_id: 'other', signal: { kind: 'description', type, sdp: sdpOf(end) } });
const latest = () => Peer.all.at(-1)!;

/** A connected call of one side with the remote peer `far`. */
async function connectedCall(side: CallSeatView['side']) {
  const call = createCall(seatOf(side), createMedia());
  await settle();
  emitRoom('here');
  await settle();
  emitDescription(side === 'staff' ? 'answer' : 'offer', 'far');
  await settle();
  latest().enter('connected');
  await settle();
  expect(call.read().connection).toBe('connected');
  return call;
}

test('keeps a connected call when the service loses sight of the other participant', async () => {
  const call = await connectedCall('staff');
  emitRoom('away');
  await settle();
  emitRoom('absent');
  await settle();
  expect(call.read().connection).toBe('connected');
  emitRoom('here');
  await settle();
  expect(Peer.all).toHaveLength(1);
  call.close();
});

test('keeps a connected call after a service outage, until the connection breaks', async () => {
  const call = await connectedCall('staff');
  cut();
  await settle();
  emitRoom('absent');
  await settle();
  expect([call.read().connection, Peer.all.length]).toEqual(['connected', 1]);
  latest().enter('disconnected');
  await settle();
  expect(call.read().connection, 'after the connection broke').toBe('none');
  call.close();
});

test('ends the connection at once when the other participant leaves', async () => {
  const call = await connectedCall('staff');
  emitRoom('absent');
  await settle();
  expect(call.read().connection).toBe('none');
  call.close();
});

test.each(['staff', 'patient'] as const)(
  '%s restarts the connection when the remote peer has restarted it',
  async (side) => {
    const call = await connectedCall(side);
    const before = latest();
    emitDescription(side === 'staff' ? 'answer' : 'offer', 'another');
    await settle();
    expect(before.signalingState).toBe('closed');
    expect(call.read().connection).toBe('connecting');
    // An answer belongs to the previous connection; an offer belongs to the new one.
    if (side === 'staff') expect(latest().remoteDescription).toBeNull();
    else expect(latest().remoteDescription?.sdp).toBe(sdpOf('another'));
    if (side === 'staff') emitDescription('answer', 'another');
    await settle();
    expect([Peer.all.length, latest().signalingState]).toEqual([2, 'stable']);
    call.close();
  },
);

test('keeps the connection when the same peer restarts ICE', async () => {
  const call = await connectedCall('patient');
  emitDescription('offer', 'far');
  await settle();
  expect(Peer.all).toHaveLength(1);
  expect(sent.filter((signal) => signal.kind === 'description')).toHaveLength(2);
  call.close();
});

test('restarts ICE for a silent connection before the browser reports it as disconnected', async () => {
  await connectedCall('staff');
  latest().packetTime = 1;
  await vi.advanceTimersByTimeAsync(600);
  expect(latest().restarts).toBe(0);
  await vi.advanceTimersByTimeAsync(1_600);
  expect(latest().restarts).toBe(1);
});

test('restarts ICE twice more while the connection stays silent, then stops', async () => {
  const call = await connectedCall('staff');
  latest().packetTime = 1;
  await vi.advanceTimersByTimeAsync(2_200);
  for (const restarts of [1, 2, 3, 3, 3]) {
    expect(latest().restarts).toBe(restarts);
    await vi.advanceTimersByTimeAsync(3_500);
  }
  call.close();
});

test('does not restart ICE again for the silence after a network change', async () => {
  const call = await connectedCall('staff');
  latest().packetTime = 1;
  await vi.advanceTimersByTimeAsync(600);
  window.dispatchEvent(new Event('online'));
  await vi.advanceTimersByTimeAsync(2_500);
  expect(latest().restarts).toBe(1);
  latest().packetTime = 2;
  await vi.advanceTimersByTimeAsync(600);
  latest().packetTime = 3;
  await vi.advanceTimersByTimeAsync(600);
  expect(latest().restarts, 'the restored connection is kept').toBe(1);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(latest().restarts, 'after another silence').toBe(2);
  call.close();
});

test('restarts ICE when the network type changes, not when its speed estimate changes', async () => {
  const connection = Object.assign(new EventTarget(), { type: 'wifi' });
  vi.stubGlobal('navigator', { connection });
  const call = await connectedCall('staff');
  connection.dispatchEvent(new Event('change'));
  await settle();
  expect(latest().restarts).toBe(0);
  connection.type = 'cellular';
  connection.dispatchEvent(new Event('change'));
  await settle();
  expect(latest().restarts).toBe(1);
  call.close();
});

test.each([
  [{}, 'ok'],
  [{ camera: 'blocked' }, 'camera_blocked'],
  [{ camera: 'missing' }, 'no_camera'],
  [{ microphone: 'unplugged' }, 'no_microphone'],
  [{ microphone: 'missing', camera: 'missing' }, 'no_devices'],
  [{ microphone: 'busy', camera: 'blocked' }, 'in_use'],
  [{ microphone: 'failed' }, 'failed'],
  [{ microphone: 'unsupported', camera: 'unsupported' }, 'unsupported'],
] as const)('staff see of devices with %j: %s', (trouble, devices) => {
  expect(devicesOf(trouble)).toBe(devices);
});
