import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ConnectionEvents, openConnection } from './connection.ts';
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
function lineOf() {
  const sides: DeviceStatus[] = [];
  const chats: string[] = [];
  const events = {
    ...{ send: () => {}, onState: () => {}, onTrack: () => {}, onChatOpen: () => {} },
    onChat: (text: string) => void chats.push(text),
    onSide: (side: DeviceStatus) => void sides.push(side),
  } satisfies ConnectionEvents;
  const line = openConnection({ polite: false, iceServers: [] }, events);
  const peer = StubbedPeer.last;
  const [chat, state] = peer.channels as [StubbedChannel, StubbedChannel];
  return { line, peer, chat, state, sides, chats };
}

test('sends the device state when its channel opens and at each change, separately from the chat', () => {
  const { line, chat, state } = lineOf();
  expect([chat, state].map(({ label, options }) => [label, options.id])).toEqual([
    ['chat', 0],
    ['state', 1],
  ]);
  line.show(OFF);
  line.show(MUTED);
  expect(state.sent).toEqual([]);
  state.open();
  expect(state.sent.map((text) => JSON.parse(text))).toEqual([MUTED]);
  line.show(OFF);
  expect(JSON.parse(state.sent.at(-1)!)).toEqual(OFF);
  expect(chat.sent).toEqual([]);
});

test('reads device states of the other participant, and ignores invalid data', () => {
  const { state, sides, chats } = lineOf();
  for (const data of [JSON.stringify(MUTED), 'nonsense', '{"microphone":1}', new ArrayBuffer(1), JSON.stringify(OFF)])
    state.onmessage?.({ data });
  expect(sides).toEqual([MUTED, OFF]);
  expect(chats).toEqual([]);
});

test('limits the bitrate of video when it is added or once connected, never that of sound', async () => {
  const { line, peer } = lineOf();
  const [microphone, camera, screen] = peer.sections as [
    ReturnType<typeof sectionOf>,
    ReturnType<typeof sectionOf>,
    ReturnType<typeof sectionOf>,
  ];
  await line.put('microphone', { kind: 'audio' } as MediaStreamTrack);
  await line.put('camera', { kind: 'video' } as MediaStreamTrack);
  expect(camera.bounds()).toEqual([]);
  for (const section of peer.sections) section.negotiate();
  peer.connectionState = 'connected';
  peer.onconnectionstatechange?.();
  await vi.waitFor(() => expect(camera.bounds()).toEqual([{ maxBitrate: 1_500_000 }]));
  await line.put('screen', { kind: 'video' } as MediaStreamTrack);
  expect(screen.bounds()).toEqual([{ maxBitrate: 1_500_000 }]);
  expect(microphone.bounds()).toEqual([{}]);
});
