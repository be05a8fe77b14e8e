import type { CallDevices, CallSeatView, CallSignal, LineQuality, RoomView, SignalView } from '#contract/visit-call.ts';
import { type Connection, type ConnectionState, openConnection, type TrackKind } from './connection.ts';
import { createQualityRater, watchConnection } from './connection-quality.ts';
import { detectSilence } from './detect-silence.ts';
import { type DeviceStatus, deviceStatusOf } from './device-status.ts';
import type { DeviceTrouble, Media } from './media.ts';
import { type CallReport, openSignalling } from './signalling.ts';
import { createStore } from './store.ts';
import { type CodeSignal, type CodeState, certificatesOf, createVerification } from './verification.ts';

export type ChatMessage = { id: number; isOwn: boolean; text: string };

export type CallState = {
  room: RoomView | null;
  /** True while the event stream is connected; an established call needs it only for changes. */
  isStreamOpen: boolean;
  connection: 'none' | ConnectionState;
  remote: Record<TrackKind, MediaStreamTrack | null>;
  code: CodeState;
  chat: ChatMessage[];
  canChat: boolean;
  /** The devices of the other participant, as reported by it; null before the first report. */
  remoteDevices: DeviceStatus | null;
  quality: LineQuality | null;
  /** The camera was turned off automatically to keep the sound clear. */
  isCameraAutoOff: boolean;
  /** The seat's key is no longer valid. */
  isSeatLost: boolean;
};

const MAX_CHAT_MESSAGES = 500;
const MAX_EARLY_SIGNALS = 200;
const NO_TRACKS = { microphone: null, camera: null, screen: null };
/** The session id in the `o=` line (RFC 8866): it is the same in all descriptions of one peer connection. */
const sessionIdOf = (sdp: string): string | undefined => /^o=\S+ (\S+)/m.exec(sdp)?.[1];
const isOfCode = (signal: CallSignal): signal is CodeSignal =>
  signal.kind === 'commit' || signal.kind === 'nonce' || signal.kind === 'reveal';

/** Returns true when nothing follows for this seat; the user may take another one. */
export const isRoomEnded = (room: RoomView | null): boolean =>
  room !== null && room.state !== 'waiting' && room.state !== 'open';

const DEVICES_OF: Record<DeviceTrouble, (device: 'camera' | 'microphone') => CallDevices> = {
  blocked: (device) => `${device}_blocked`,
  missing: (device) => `no_${device}`,
  unplugged: (device) => `no_${device}`,
  busy: () => 'in_use',
  failed: () => 'failed',
  unsupported: () => 'unsupported',
};

/** The state of this participant's devices, which staff see. */
export function devicesOf({
  microphone,
  camera,
}: Partial<Record<'camera' | 'microphone', DeviceTrouble>>): CallDevices {
  if (microphone === 'missing' && camera === 'missing') return 'no_devices';
  if (microphone) return DEVICES_OF[microphone]('microphone');
  return camera ? DEVICES_OF[camera]('camera') : 'ok';
}

export type Call = ReturnType<typeof createCall>;

/**
 * Creates the call of one seat: follows the room's events, and holds a peer connection while both participants may
 * talk.
 */
export function createCall(seat: CallSeatView, media: Media) {
  const store = createStore<CallState>({
    room: null,
    isStreamOpen: false,
    connection: 'none',
    remote: NO_TRACKS,
    code: { at: 'coming' },
    chat: [],
    canChat: false,
    remoteDevices: null,
    quality: null,
    isCameraAutoOff: false,
    isSeatLost: false,
  });
  const { read, change } = store;
  let session: {
    otherSeatId: string;
    /** The remote peer's session id, once it has sent a description. */
    sessionId: string | undefined;
    connection: Connection;
    verification: ReturnType<typeof createVerification>;
    stop: () => void;
  } | null = null;
  /** Signals from a seat that the room has not announced yet. */
  let earlySignals: SignalView[] = [];
  let reported: CallReport = {};
  let nextChatId = 0;

  const signalling = openSignalling(seat, {
    onRoom,
    onSignal,
    onStreamChange(isStreamOpen) {
      if (isStreamOpen && !read().isStreamOpen) isStreamRestored = true;
      change({ isStreamOpen });
    },
    onSeatLost: () => {
      disconnect();
      change({ isSeatLost: true });
    },
  });

  function report(next: CallReport): void {
    const entries = Object.entries(next) as [keyof CallReport, never][];
    const changed = entries.filter(([name, value]) => reported[name] !== value);
    // A seat that was left sends no reports.
    if (changed.length === 0 || isRoomEnded(read().room)) return;
    reported = { ...reported, ...next };
    signalling.report(Object.fromEntries(changed));
  }

  function disconnect(): void {
    session?.stop();
    session?.connection.close();
    session = null;
    change({
      connection: 'none',
      remote: NO_TRACKS,
      code: { at: 'coming' },
      canChat: false,
      remoteDevices: null,
      quality: null,
    });
  }

  const addMessage = (isOwn: boolean, text: string) => {
    nextChatId += 1;
    change({ chat: [...read().chat, { id: nextChatId, isOwn, text }].slice(-MAX_CHAT_MESSAGES) });
  };

  function connect(other: string): void {
    disconnect();
    const send = (signal: CallSignal) => void signalling.send(other, signal);
    const verification = createVerification(seat.side, {
      send,
      onState: (code) => session?.verification === verification && change({ code }),
    });
    const connection = openConnection(
      { polite: seat.side === 'patient', iceServers: seat.ice_servers },
      {
        send,
        onState(state) {
          if (session?.connection !== connection) return;
          change({ connection: state });
          if (state === 'connected') void verifyCertificates();
          else if (state === 'broken') {
            signalling.reopen();
            if (!read().room?.other_seat_id) disconnect();
          }
        },
        onTrack: (kind, track) =>
          session?.connection === connection && change({ remote: { ...read().remote, [kind]: track } }),
        onChat: (text) => addMessage(false, text),
        onChatOpen: (canChat) => session?.connection === connection && change({ canChat }),
        onDeviceStatus: (remoteDevices) => session?.connection === connection && change({ remoteDevices }),
      },
    );
    const rate = createQualityRater();
    const verify = (stats: RTCStatsReport) => {
      const certificates = certificatesOf(connection.peer, stats);
      if (certificates) void verification.bind(certificates);
    };
    const verifyCertificates = () => connection.peer.getStats().then(verify, () => undefined);
    const stopWatch = watchConnection(connection.peer, ({ sample, path, stats }) => {
      if (session?.connection !== connection) return;
      verify(stats);
      // A signal of the verification may have been lost.
      if (read().code.at === 'coming') verification.resend();
      const quality = read().connection === 'broken' ? 'broken' : rate(sample);
      change({ quality });
      if (quality !== 'good') dropCamera();
      report({ quality, path, media: media.read().camera ? 'video' : 'audio' });
    });
    const stopPulse = detectSilence(
      connection.peer,
      () => session?.connection === connection && !connection.isRestarting() && reconnect(),
    );
    const stop = () => {
      stopWatch();
      stopPulse();
    };
    session = { otherSeatId: other, sessionId: undefined, connection, verification, stop };
    change({ connection: 'connecting' });
    for (const kind of ['microphone', 'camera', 'screen'] as const) void connection.setTrack(kind, media.read()[kind]);
    connection.sendStatus(deviceStatusOf(media.read()));
    const waiting = earlySignals.filter(({ from_seat_id }) => from_seat_id === other);
    earlySignals = [];
    for (const signal of waiting) onSignal(signal);
  }

  /** After a network change: open sockets are dead, even though they report no error. */
  function reconnect(): void {
    signalling.reopen();
    if (session && read().connection !== 'connecting') session.connection.restart();
  }

  /** Sound before video: when the bandwidth is too low for both, the camera is turned off, once per call. */
  function dropCamera(): void {
    if (read().isCameraAutoOff || read().connection !== 'connected' || !media.read().camera || wasCameraDropped) return;
    wasCameraDropped = true;
    change({ isCameraAutoOff: true });
    void media.showCamera(false);
  }
  let wasCameraDropped = false;

  /** The first room state after a service outage does not say when it came about. */
  let isStreamRestored = false;

  function onRoom(room: RoomView): void {
    const before = read().room;
    const wasInterrupted = isStreamRestored;
    isStreamRestored = false;
    change({ room });
    if (isRoomEnded(room)) {
      disconnect();
      signalling.close();
      return;
    }
    const other = room.state === 'open' ? room.other_seat_id : null;
    if (!other) {
      // A participant that the service lost sight of may still be connected here; one that left was visible until then.
      const wasOutOfSight = wasInterrupted || before?.other !== 'here';
      const staysConnected = room.state === 'open' && read().connection === 'connected' && wasOutOfSight;
      if (session && !staysConnected) disconnect();
      return;
    }
    if (session?.otherSeatId !== other) {
      if (room.other === 'here') connect(other);
      return;
    }
    if ((wasInterrupted || before?.other !== 'here') && room.other === 'here') {
      session.connection.resendOffer();
      session.verification.resend();
      if (read().connection === 'broken') session.connection.restart();
    }
  }

  function onSignal(view: SignalView): void {
    if (session?.otherSeatId !== view.from_seat_id) {
      earlySignals = [...earlySignals, view].slice(-MAX_EARLY_SIGNALS);
      return;
    }
    const { signal } = view;
    if (isOfCode(signal)) return void session.verification.receive(signal);
    if (signal.kind === 'description') {
      const sessionId = sessionIdOf(signal.sdp);
      const isNewPeer = session.sessionId !== undefined && sessionId !== undefined && session.sessionId !== sessionId;
      // The other participant has created a new peer connection: the one here has no remote peer any more.
      if (isNewPeer) connect(view.from_seat_id);
      session.sessionId = sessionId ?? session.sessionId;
      if (isNewPeer && signal.type === 'answer') return;
    }
    void session.connection.handleSignal(signal);
  }

  let previousMedia = media.read();
  const stopMedia = media.subscribe(() => {
    const now = media.read();
    for (const kind of ['microphone', 'camera', 'screen'] as const)
      if (now[kind] !== previousMedia[kind]) void session?.connection.setTrack(kind, now[kind]);
    const [was, is] = [deviceStatusOf(previousMedia), deviceStatusOf(now)];
    if (was.microphone !== is.microphone || was.camera !== is.camera) session?.connection.sendStatus(is);
    if (now.camera && read().isCameraAutoOff) change({ isCameraAutoOff: false });
    previousMedia = now;
    if (now.stage === 'on') report({ devices: devicesOf(now.trouble) });
  });
  if (previousMedia.stage === 'on') report({ devices: devicesOf(previousMedia.trouble) });

  const network = (navigator as { connection?: EventTarget & { type?: string } }).connection;
  let kind = network?.type;
  /** The event also fires for new speed estimates, which are no network change. */
  function onNetwork(): void {
    if (network?.type === kind) return;
    kind = network?.type;
    reconnect();
  }
  // Without a network, the open stream would be silent for a while before it fails.
  window.addEventListener('offline', signalling.reopen);
  window.addEventListener('online', reconnect);
  network?.addEventListener('change', onNetwork);

  function close(): void {
    window.removeEventListener('offline', signalling.reopen);
    window.removeEventListener('online', reconnect);
    network?.removeEventListener('change', onNetwork);
    stopMedia();
    disconnect();
    signalling.close();
  }

  return {
    seat,
    read,
    subscribe: store.subscribe,
    /** @returns true if the text was sent */
    sendMessage(text: string): boolean {
      const isSent = session?.connection.sendMessage(text) ?? false;
      if (isSent) addMessage(true, text);
      return isSent;
    },
    /** The peer connection, for its statistics; null while there is none. */
    peer: () => session?.connection.peer ?? null,
    /** Closes without leaving: the page is unloaded or rendered again, and the seat may be taken again. */
    close,
    /** Leaves the call permanently. */
    leave(): void {
      signalling.leave();
      close();
    },
  };
}
