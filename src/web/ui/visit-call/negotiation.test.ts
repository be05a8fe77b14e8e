import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Connection, openConnection } from './connection.ts';

type Description = { type: 'offer' | 'answer'; sdp: string };

/** The signalling part of an RTCPeerConnection, without media. */
class Peer {
  static latest: Peer;
  signalingState = 'stable';
  connectionState = 'new';
  localDescription: Description | null = null;
  remoteDescription: Description | null = null;
  applied: string[] = [];
  candidates: (string | undefined)[] = [];
  restarts = 0;
  onnegotiationneeded: (() => Promise<void>) | null = null;
  onicecandidate: ((event: { candidate: RTCIceCandidateInit }) => void) | null = null;
  private round = 0;
  /** The rounds whose ICE credentials a restart replaces ([[LocalIceCredentialsToReplace]] in W3C WebRTC). */
  private past: number[] = [];
  constructor() {
    Peer.latest = this;
  }
  createDataChannel = () => ({ readyState: 'connecting' });
  getTransceivers = () => [];
  addTransceiver() {}
  async setLocalDescription() {
    const type = this.signalingState === 'have-remote-offer' ? 'answer' : 'offer';
    this.signalingState = type === 'offer' ? 'have-local-offer' : 'stable';
    this.round += 1;
    this.localDescription = { type, sdp: `o=- own ${this.round} IN IP4 127.0.0.1\r\n` };
    this.settle();
  }
  async setRemoteDescription({ type, sdp }: Description) {
    this.signalingState = type === 'offer' ? 'have-remote-offer' : 'stable';
    this.applied.push(sdp);
    this.remoteDescription = { type, sdp };
    this.settle();
  }
  getReceivers = () => [];
  async addIceCandidate({ candidate }: RTCIceCandidateInit) {
    this.candidates.push(candidate);
  }
  restartIce() {
    this.restarts += 1;
    this.past = [this.round];
    this.settle();
  }
  /** A restart waits for the stable state, and ends when the credentials have changed. */
  private settle() {
    if (this.signalingState !== 'stable') return;
    if (!this.past.includes(this.round)) this.past = [];
    else queueMicrotask(() => this.signalingState === 'stable' && void this.onnegotiationneeded?.());
  }
  close() {}
}

let sent: Description[];
let connection: Connection;
const open = (polite: boolean): Peer => {
  connection = openConnection(
    { polite, iceServers: [] },
    {
      send: (signal) => signal.kind === 'description' && sent.push({ type: signal.type as 'offer', sdp: signal.sdp }),
      onState: () => {},
      onTrack: () => {},
      onChat: () => {},
      onChatOpen: () => {},
      onDeviceStatus: () => {},
    },
  );
  return Peer.latest;
};
const far = (round: number) => `o=- far ${round} IN IP4 127.0.0.1\r\n`;
const receiveCandidate = (text: string) =>
  connection.handleSignal({
    kind: 'candidate',
    candidate: text,
    sdp_mid: '0',
    sdp_m_line_index: 0,
    username_fragment: 'far',
  });
const receive = (type: Description['type'], sdp: string) => connection.handleSignal({ kind: 'description', type, sdp });

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  vi.stubGlobal('RTCPeerConnection', Peer);
  vi.stubGlobal('MediaStream', class {});
});
afterEach(() => {
  connection.close();
  expect(vi.getTimerCount(), 'a closed connection leaves no timer').toBe(0);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('repeats an offer until it is answered', async () => {
  const peer = open(false);
  await peer.onnegotiationneeded?.();
  await vi.advanceTimersByTimeAsync(7_000);
  expect(sent.map(({ type }) => type)).toEqual(['offer', 'offer']);
  await receive('answer', far(1));
  await vi.advanceTimersByTimeAsync(20_000);
  expect(sent).toHaveLength(2);
});

describe('a network change before the pending offer is answered', () => {
  test('sends a new offer as soon as the answer has arrived', async () => {
    const peer = open(false);
    await peer.onnegotiationneeded?.();
    connection.restart();
    connection.restart();
    expect(sent, 'the pending offer is sent again, because it may have been lost').toEqual([sent[0], sent[0], sent[0]]);
    await receive('answer', far(1));
    await vi.advanceTimersByTimeAsync(0);
    expect(sent.map(({ sdp }) => sdp).slice(3)).toEqual([expect.stringContaining('own 2')]);
    await receive('answer', far(1));
    expect(peer.signalingState, 'the repeated answer is ignored').toBe('have-local-offer');
    await receive('answer', far(2));
    await vi.advanceTimersByTimeAsync(0);
    expect([sent.length, peer.signalingState]).toEqual([4, 'stable']);
  });

  test('sends no offer when the other side’s offer comes first: its answer has the new candidates', async () => {
    const peer = open(true);
    await receive('offer', far(1));
    await peer.onnegotiationneeded?.();
    connection.restart();
    await receive('offer', far(2));
    await vi.advanceTimersByTimeAsync(0);
    expect(sent.map(({ type }) => type)).toEqual(['answer', 'offer', 'offer', 'answer']);
    expect(peer.signalingState).toBe('stable');
  });

  test('waits for its own answer when it ignores the other side’s offer', async () => {
    const peer = open(false);
    await peer.onnegotiationneeded?.();
    connection.restart();
    await receive('offer', far(1));
    expect([peer.signalingState, peer.applied]).toEqual(['have-local-offer', []]);
    await receive('answer', far(2));
    await vi.advanceTimersByTimeAsync(0);
    expect(sent.at(-1)?.sdp).toContain('own 2');
  });
});

test('answers a repeated offer as before, without rolling back its own pending offer', async () => {
  const peer = open(true);
  await receive('offer', far(1));
  await peer.onnegotiationneeded?.();
  expect(sent.map(({ type }) => type)).toEqual(['answer', 'offer']);
  await receive('offer', `${far(1)}a=candidate:1 found later\r\n`);
  expect(peer.signalingState).toBe('have-local-offer');
  expect(sent.at(-1)).toEqual(sent[0]);
  await receive('offer', far(2));
  expect(peer.signalingState, 'a new offer is accepted').toBe('stable');
});

test('answers a repeated offer with the same answer', async () => {
  const peer = open(true);
  await receive('offer', far(1));
  await receive('offer', far(1));
  expect(sent).toEqual([sent[0], sent[0]]);
  expect(peer.applied).toEqual([far(1)]);
});

test('does not take a repeated answer for the answer to the next offer', async () => {
  const peer = open(false);
  await peer.onnegotiationneeded?.();
  await receive('answer', far(1));
  await peer.onnegotiationneeded?.();
  await receive('answer', far(1));
  expect([peer.signalingState, peer.applied]).toEqual(['have-local-offer', [far(1)]]);
  await receive('answer', far(2));
  expect([peer.signalingState, peer.applied]).toEqual(['stable', [far(1), far(2)]]);
});

test('buffers up to 100 candidates that arrive before their description', async () => {
  const peer = open(true);
  for (let n = 0; n < 150; n += 1) await receiveCandidate(`before ${n}`);
  expect(peer.candidates).toEqual([]);
  await receive('offer', far(1));
  expect(peer.candidates).toEqual(Array.from({ length: 100 }, (_, n) => `before ${n}`));
});

test('buffers candidates of an answer that arrive before it, while the other side’s offer is ignored', async () => {
  const peer = open(false);
  await peer.onnegotiationneeded?.();
  await receive('offer', far(1));
  await receiveCandidate('overtakes');
  expect(peer.candidates).toEqual([]);
  await receive('answer', far(2));
  expect(peer.candidates).toEqual(['overtakes']);
});

describe('an ICE restart', () => {
  /** A broken connection that has restarted ICE. */
  async function restarted(): Promise<Peer> {
    const peer = open(false);
    await peer.onnegotiationneeded?.();
    await receive('answer', far(1));
    connection.restart();
    await vi.advanceTimersByTimeAsync(0);
    await receive('answer', far(2));
    return peer;
  }
  const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  test('is repeated when it finds no candidate', async () => {
    const peer = await restarted();
    await advance(3_400);
    expect(peer.restarts).toBe(1);
    await advance(200);
    expect(peer.restarts).toBe(2);
  });

  test.each([
    ['here', (peer: Peer) => peer.onicecandidate?.({ candidate: { candidate: 'late' } })],
    ['there', () => receiveCandidate('late')],
  ])('waits longer when the browser %s finds a late candidate', async (_, findCandidate) => {
    const peer = await restarted();
    await advance(3_400);
    await findCandidate(peer);
    await advance(1_400);
    expect(peer.restarts).toBe(1);
    await advance(200);
    expect(peer.restarts).toBe(2);
  });
});
