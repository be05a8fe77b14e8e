import type { CallSeatView, CallSignal, LineQuality, RoomView, SignalView } from '#contract/visit-call.ts';
import { certificatesOf } from './certificates.ts';
import { type Connection, type ConnectionState, openConnection, type TrackKind } from './connection.ts';
import { createQualityRater } from './connection-quality.ts';
import { detectSilence } from './detect-silence.ts';
import { type DeviceStatus, deviceStatusOf } from './device-status.ts';
import type { DeviceTrouble, Media } from './media.ts';
import { type CallReport, openSignalling } from './signalling.ts';
import { createStore } from './store.ts';
import { type CodeSignal, type CodeState, createVerification } from './verification.ts';
import { watchConnection } from './watch-connection.ts';

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

const MOST_CHAT_LINES = 500;
const MOST_EARLY_SIGNALS = 200;
const NO_TRACKS = { microphone: null, camera: null, screen: null };
/** The session id in the `o=` line (RFC 8866): it is the same in all descriptions of one peer connection. */
const peerOf = (sdp: string): string | undefined => /^o=\S+ (\S+)/m.exec(sdp)?.[1];
const isOfCode = (signal: CallSignal): signal is CodeSignal =>
  signal.kind === 'commit' || signal.kind === 'nonce' || signal.kind === 'reveal';

/** Returns true when nothing follows for this seat; the user may take another one. */
export const isRoomEnded = (room: RoomView | null): boolean =>
  room !== null && room.state !== 'waiting' && room.state !== 'open';

/** The state of this participant's devices, which staff see. */
function devicesOf(
  trouble: Partial<Record<'camera' | 'microphone', DeviceTrouble>>,
): NonNullable<CallReport['devices']> {
  if (trouble.microphone === 'unsupported') return 'unsupported';
  if (trouble.microphone === 'missing' && trouble.camera === 'missing') return 'no_devices';
  if (trouble.microphone) return 'microphone_blocked';
  return trouble.camera ? 'camera_blocked' : 'ok';
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
  let joined: {
    with: string;
    /** The remote peer's session id, once it has sent a description. */
    end: string | undefined;
    line: Connection;
    verification: ReturnType<typeof createVerification>;
    stop: () => void;
  } | null = null;
  /** Signals from a seat that the room has not announced yet. */
  let early: SignalView[] = [];
  let reported: CallReport = {};
  let nextChatId = 0;

  const signalling = openSignalling(seat, {
    onRoom,
    onSignal,
    onHeard(isHeard) {
      if (isHeard && !read().isStreamOpen) isBack = true;
      change({ isStreamOpen: isHeard });
    },
    onGone: () => {
      part();
      change({ isSeatLost: true });
    },
  });

  function report(next: CallReport): void {
    const entries = Object.entries(next) as [keyof CallReport, never][];
    const fresh = entries.filter(([name, value]) => reported[name] !== value);
    // A seat that was left sends no reports.
    if (fresh.length === 0 || isRoomEnded(read().room)) return;
    reported = { ...reported, ...next };
    signalling.report(Object.fromEntries(fresh));
  }

  function part(): void {
    joined?.stop();
    joined?.line.close();
    joined = null;
    change({
      connection: 'none',
      remote: NO_TRACKS,
      code: { at: 'coming' },
      canChat: false,
      remoteDevices: null,
      quality: null,
    });
  }

  const addLine = (isOwn: boolean, text: string) => {
    nextChatId += 1;
    change({ chat: [...read().chat, { id: nextChatId, isOwn, text }].slice(-MOST_CHAT_LINES) });
  };

  function join(other: string): void {
    part();
    const send = (signal: CallSignal) => void signalling.send(other, signal);
    const verification = createVerification(seat.side, {
      send,
      onState: (code) => joined?.verification === verification && change({ code }),
    });
    const line = openConnection(
      { polite: seat.side === 'patient', iceServers: seat.ice_servers },
      {
        send,
        onState(state) {
          if (joined?.line !== line) return;
          change({ connection: state });
          if (state === 'connected') void look();
          else if (state === 'broken') {
            signalling.reopen();
            if (!read().room?.other_seat_id) part();
          }
        },
        onTrack: (kind, track) => joined?.line === line && change({ remote: { ...read().remote, [kind]: track } }),
        onChat: (text) => addLine(false, text),
        onChatOpen: (canChat) => joined?.line === line && change({ canChat }),
        onSide: (side) => joined?.line === line && change({ remoteDevices: side }),
      },
    );
    const judge = createQualityRater();
    const verify = (stats: RTCStatsReport) => {
      const found = certificatesOf(line.peer, stats);
      if (found) void verification.bind(found);
    };
    const look = () => line.peer.getStats().then(verify, () => undefined);
    const stopWatch = watchConnection(line.peer, ({ sample, path, stats }) => {
      if (joined?.line !== line) return;
      verify(stats);
      // A signal of the verification may have been lost.
      if (read().code.at === 'coming') verification.tellAgain();
      const quality = read().connection === 'broken' ? 'broken' : judge(sample);
      change({ quality });
      if (quality !== 'good') spare();
      report({ quality, path, media: media.read().camera ? 'video' : 'audio' });
    });
    const stopPulse = detectSilence(line.peer, () => joined?.line === line && !line.isLooking() && lookForWay());
    const stop = () => {
      stopWatch();
      stopPulse();
    };
    joined = { with: other, end: undefined, line, verification, stop };
    change({ connection: 'connecting' });
    for (const kind of ['microphone', 'camera', 'screen'] as const) void line.put(kind, media.read()[kind]);
    line.show(deviceStatusOf(media.read()));
    const waiting = early.filter(({ from_seat_id }) => from_seat_id === other);
    early = [];
    for (const signal of waiting) onSignal(signal);
  }

  /** After a network change: open sockets are dead, even though they report no error. */
  function lookForWay(): void {
    signalling.reopen();
    if (joined && read().connection !== 'connecting') joined.line.restart();
  }

  /** Sound before video: when the bandwidth is too low for both, the camera is turned off, once per call. */
  function spare(): void {
    if (read().isCameraAutoOff || read().connection !== 'connected' || !media.read().camera || wasSpared) return;
    wasSpared = true;
    change({ isCameraAutoOff: true });
    void media.showCamera(false);
  }
  let wasSpared = false;

  /** The first room state after a service outage does not say when it came about. */
  let isBack = false;

  function onRoom(room: RoomView): void {
    const before = read().room;
    const wasAway = isBack;
    isBack = false;
    change({ room });
    if (isRoomEnded(room)) {
      part();
      signalling.close();
      return;
    }
    const other = room.state === 'open' ? room.other_seat_id : null;
    if (!other) {
      // A participant that the service lost sight of may still be connected here; one that left was visible until then.
      const isLostSight = wasAway || before?.other !== 'here';
      const stands = room.state === 'open' && read().connection === 'connected' && isLostSight;
      if (joined && !stands) part();
      return;
    }
    if (joined?.with !== other) {
      if (room.other === 'here') join(other);
      return;
    }
    if ((wasAway || before?.other !== 'here') && room.other === 'here') {
      joined.line.tellAgain();
      joined.verification.tellAgain();
      if (read().connection === 'broken') joined.line.restart();
    }
  }

  function onSignal(view: SignalView): void {
    if (joined?.with !== view.from_seat_id) {
      early = [...early, view].slice(-MOST_EARLY_SIGNALS);
      return;
    }
    const { signal } = view;
    if (isOfCode(signal)) return void joined.verification.take(signal);
    if (signal.kind === 'description') {
      const end = peerOf(signal.sdp);
      const isAnew = joined.end !== undefined && end !== undefined && joined.end !== end;
      // The other participant has created a new peer connection: the one here has no remote peer any more.
      if (isAnew) join(view.from_seat_id);
      joined.end = end ?? joined.end;
      if (isAnew && signal.type === 'answer') return;
    }
    void joined.line.take(signal);
  }

  let put = media.read();
  const stopMedia = media.subscribe(() => {
    const now = media.read();
    for (const kind of ['microphone', 'camera', 'screen'] as const)
      if (now[kind] !== put[kind]) void joined?.line.put(kind, now[kind]);
    const [was, is] = [deviceStatusOf(put), deviceStatusOf(now)];
    if (was.microphone !== is.microphone || was.camera !== is.camera) joined?.line.show(is);
    if (now.camera && read().isCameraAutoOff) change({ isCameraAutoOff: false });
    put = now;
    if (now.stage === 'on') report({ devices: devicesOf(now.trouble) });
  });
  if (put.stage === 'on') report({ devices: devicesOf(put.trouble) });

  const network = (navigator as { connection?: EventTarget & { type?: string } }).connection;
  let kind = network?.type;
  /** The event also fires for new speed estimates, which are no network change. */
  function onNetwork(): void {
    if (network?.type === kind) return;
    kind = network?.type;
    lookForWay();
  }
  window.addEventListener('online', lookForWay);
  network?.addEventListener('change', onNetwork);

  function close(): void {
    window.removeEventListener('online', lookForWay);
    network?.removeEventListener('change', onNetwork);
    stopMedia();
    part();
    signalling.close();
  }

  return {
    seat,
    read,
    subscribe: store.subscribe,
    /** @returns true if the text was sent */
    say(text: string): boolean {
      const isSaid = joined?.line.say(text) ?? false;
      if (isSaid) addLine(true, text);
      return isSaid;
    },
    /** The peer connection, for its statistics; null while there is none. */
    peer: () => joined?.line.peer ?? null,
    /** Closes without leaving: the page is unloaded or rendered again, and the seat may be taken again. */
    close,
    /** Leaves the call permanently. */
    leave(): void {
      signalling.leave();
      close();
    },
  };
}
