import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ConnectionEvents, capVideoBitrate, openConnection } from './connection.ts';
import type { DeviceStatus } from './device-status.ts';

class StubbedChannel {
  readyState = 'connecting';
  sent: string[] = [];
  onopen?: () => void;
  onmessage?: (event: { data: unknown }) => void;
  readonly label: string;
  readonly options: RTCDataChannelInit;
  constructor(label: string, options: RTCDataChannelInit) {
    this.label = label;
    this.options = options;
  }
  send(text: string): void {
    this.sent.push(text);
  }
  open(): void {
    this.readyState = 'open';
    this.onopen?.();
  }
}
/** One transceiver, whose sender accepts encoding parameters only after negotiation. */
function sectionOf() {
  let encodings: RTCRtpEncodingParameters[] = [];
  const sender = {
    track: null as MediaStreamTrack | null,
    replaceTrack: async (track: MediaStreamTrack | null) => void Object.assign(sender, { track }),
    getParameters: () => structuredClone({ encodings }),
    setParameters: async (next: { encodings: RTCRtpEncodingParameters[] }) => {
      encodings = next.encodings;
    },
  };
  const negotiate = () => {
    encodings = [{}];
  };
  return { direction: 'recvonly', sender, negotiate, bounds: () => encodings };
}
class StubbedPeer {
  static last: StubbedPeer;
  channels: StubbedChannel[] = [];
  sections: ReturnType<typeof sectionOf>[] = [];
  connectionState = 'new';
  onconnectionstatechange?: () => void;
  constructor() {
    StubbedPeer.last = this;
  }
  createDataChannel(label: string, options: RTCDataChannelInit): StubbedChannel {
    const channel = new StubbedChannel(label, options);
    this.channels.push(channel);
    return channel;
  }
  addTransceiver(): void {
    this.sections.push(sectionOf());
  }
  getTransceivers = () => this.sections;
  close(): void {}
}
beforeEach(() => {
  vi.stubGlobal('RTCPeerConnection', StubbedPeer);
  vi.stubGlobal('MediaStream', class {});
});
afterEach(() => void vi.unstubAllGlobals());

const MUTED: DeviceStatus = { microphone: 'muted', camera: 'on' };
const OFF: DeviceStatus = { microphone: 'on', camera: 'off' };
function connectionOf() {
  const statuses: DeviceStatus[] = [];
  const chats: string[] = [];
  const events = {
    ...{ send: () => {}, onState: () => {}, onTrack: () => {}, onChatOpen: () => {} },
    onChat: (text: string) => void chats.push(text),
    onDeviceStatus: (status: DeviceStatus) => void statuses.push(status),
  } satisfies ConnectionEvents;
  const connection = openConnection({ polite: false, iceServers: [] }, events);
  const peer = StubbedPeer.last;
  const [chat, state] = peer.channels as [StubbedChannel, StubbedChannel];
  return { connection, peer, chat, state, statuses, chats };
}

test('sends the device state when its channel opens and at each change, separately from the chat', () => {
  const { connection, chat, state } = connectionOf();
  expect([chat, state].map(({ label, options }) => [label, options.id])).toEqual([
    ['chat', 0],
    ['state', 1],
  ]);
  connection.sendStatus(OFF);
  connection.sendStatus(MUTED);
  expect(state.sent).toEqual([]);
  state.open();
  expect(state.sent.map((text) => JSON.parse(text))).toEqual([MUTED]);
  connection.sendStatus(OFF);
  expect(JSON.parse(state.sent.at(-1)!)).toEqual(OFF);
  expect(chat.sent).toEqual([]);
});

test('reads device states of the other participant, and ignores invalid data', () => {
  const { state, statuses, chats } = connectionOf();
  for (const data of [JSON.stringify(MUTED), 'nonsense', '{"microphone":1}', new ArrayBuffer(1), JSON.stringify(OFF)])
    state.onmessage?.({ data });
  expect(statuses).toEqual([MUTED, OFF]);
  expect(chats).toEqual([]);
});

test('limits the bitrate of video when it is added or once connected, never that of sound', async () => {
  const { connection, peer } = connectionOf();
  const [microphone, camera, screen] = peer.sections as [
    ReturnType<typeof sectionOf>,
    ReturnType<typeof sectionOf>,
    ReturnType<typeof sectionOf>,
  ];
  await connection.setTrack('microphone', { kind: 'audio' } as MediaStreamTrack);
  await connection.setTrack('camera', { kind: 'video' } as MediaStreamTrack);
  expect(camera.bounds()).toEqual([]);
  for (const section of peer.sections) section.negotiate();
  peer.connectionState = 'connected';
  peer.onconnectionstatechange?.();
  await vi.waitFor(() => expect(camera.bounds()).toEqual([{ maxBitrate: 1_500_000 }]));
  await connection.setTrack('screen', { kind: 'video' } as MediaStreamTrack);
  expect(screen.bounds()).toEqual([{ maxBitrate: 1_500_000 }]);
  expect(microphone.bounds()).toEqual([{}]);
});

/** As in browsers, parameters must be written back with their transaction id. */
function senderOf(encodings: RTCRtpEncodingParameters[]) {
  let parameters = { transactionId: '1', encodings } as RTCRtpSendParameters;
  return {
    getParameters: () => structuredClone(parameters),
    setParameters: vi.fn(async (next: RTCRtpSendParameters) => {
      if (next.transactionId !== parameters.transactionId) throw new Error('InvalidModificationError');
      parameters = next;
    }),
    rates: () => parameters.encodings.map(({ maxBitrate }) => maxBitrate),
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
  const rejecting = { ...senderOf([{}]), setParameters: () => Promise.reject(new Error('no')) };
  await expect(capVideoBitrate(rejecting)).resolves.toBeUndefined();
});
