import type { CallSignal, IceServer } from '#contract/visit-call.ts';
import { lastPacketTime, SILENT_MS } from './detect-silence.ts';
import { type DeviceStatus, parseDeviceStatus, serializeDeviceStatus } from './device-status.ts';
import { capVideoBitrate } from './video-bitrate.ts';

/** The tracks, in the order of the connection's transceivers. */
const KINDS = ['microphone', 'camera', 'screen'] as const;
export type TrackKind = (typeof KINDS)[number];
type LineSignal = Extract<CallSignal, { kind: 'description' | 'candidate' }>;

/** `broken`: the connection was lost and is being restored. */
export type ConnectionState = 'connecting' | 'connected' | 'broken';

/** How long a connection may be silent before an ICE restart: one or two lost packets are no network change. */
const PATIENCE_MS = 1_500;
const TRY_AGAIN_MS = 3_500;
/** Minimum time to try a newly found candidate: a browser may learn of its new network seconds after the restart. */
const TRY_WAY_MS = 1_500;
/** ICE restarts while the browser reports a silent connection as connected: the other side may just not send. */
const SILENT_TRIES = 2;
/** An offer without an answer by then is sent again: it or its answer may have been lost. */
const UNANSWERED_MS = 6_000;
const CHAT_CHANNEL = 0;
const STATE_CHANNEL = 1;
const MOST_KEPT_CANDIDATES = 100;
/** Maximum length of a chat message, sent or received, in UTF-16 code units. */
export const MAX_CHAT_LENGTH = 2_000;

/** The `o=` line (RFC 8866) identifies a description; other lines grow while candidates are gathered. */
const roundOf = (sdp: string): string | undefined => /^o=.*$/m.exec(sdp)?.[0];

export type ConnectionEvents = {
  send: (signal: LineSignal) => void;
  onState: (state: ConnectionState) => void;
  /** A remote track; null while the other side sends none. */
  onTrack: (kind: TrackKind, track: MediaStreamTrack | null) => void;
  onChat: (text: string) => void;
  onChatOpen: (isOpen: boolean) => void;
  /** The device state of the other participant. */
  onSide: (state: DeviceStatus) => void;
};

export type ConnectionOptions = {
  /** The polite peer of perfect negotiation: it rolls back its offer on a glare, and waits for the first offer. */
  polite: boolean;
  iceServers: IceServer[];
  iceTransportPolicy?: RTCIceTransportPolicy;
};

export type Connection = {
  peer: RTCPeerConnection;
  take: (signal: LineSignal) => Promise<void>;
  put: (kind: TrackKind, track: MediaStreamTrack | null) => Promise<void>;
  /** Restarts ICE; media continues to flow where it can. */
  restart: () => void;
  /** True while it waits for the result of an ICE restart, which it evaluates itself. */
  isLooking: () => boolean;
  /** Sends a pending offer again, which may have been lost while the other side was away. */
  tellAgain: () => void;
  say: (text: string) => boolean;
  /** Sends this participant's device state, as soon as the channel is open. */
  show: (state: DeviceStatus) => void;
  close: () => void;
};

/** Opens the peer connection of a call to one other seat, by perfect negotiation (W3C WebRTC). */
export function openConnection({ polite, ...options }: ConnectionOptions, events: ConnectionEvents): Connection {
  const peer = new RTCPeerConnection({ bundlePolicy: 'max-bundle', ...options });
  const chat = peer.createDataChannel('chat', { negotiated: true, id: CHAT_CHANNEL });
  const states = peer.createDataChannel('state', { negotiated: true, id: STATE_CHANNEL });
  let own: DeviceStatus | null = null;
  const wanted: Record<TrackKind, MediaStreamTrack | null> = { microphone: null, camera: null, screen: null };
  const kept: RTCIceCandidateInit[] = [];
  let state: ConnectionState = 'connecting';
  let isOffering = false;
  let isIgnoring = false;
  let hasMet = !polite;
  let isClosed = false;
  /** The last offer that was answered, with its answer. */
  let answered: { round: string | undefined; with: RTCSessionDescription } | null = null;
  let takenAnswer = '';
  let turn = Promise.resolve();
  let patience: ReturnType<typeof setTimeout> | undefined;
  let patienceEnds = 0;
  let silentTries = 0;

  const sectionOf = (kind: TrackKind): RTCRtpTransceiver | undefined => peer.getTransceivers()[KINDS.indexOf(kind)];
  const tell = ({ type, sdp }: RTCSessionDescription) => {
    if (type !== 'pranswer') events.send({ kind: 'description', type, sdp });
  };

  async function cap(kind: TrackKind): Promise<void> {
    const sender = sectionOf(kind)?.sender;
    if (sender?.track?.kind === 'video') await capVideoBitrate(sender);
  }
  async function fill(kind: TrackKind): Promise<void> {
    const section = sectionOf(kind);
    if (!section || isClosed) return;
    const track = wanted[kind];
    // A changed direction triggers negotiation; from it the other side learns that the track has ended.
    const direction = track ? 'sendrecv' : 'recvonly';
    if (section.direction !== direction) section.direction = direction;
    if (section.sender.track !== track) await section.sender.replaceTrack(track);
    await cap(kind);
  }
  const fillAll = async () => {
    for (const kind of KINDS) await fill(kind);
  };

  /** One stream for microphone and camera, so that browsers play them in sync. */
  const face = new MediaStream();
  const streamsOf = (kind: TrackKind) => (kind === 'screen' ? [] : [face]);
  if (!polite)
    for (const kind of KINDS)
      peer.addTransceiver(kind === 'microphone' ? 'audio' : 'video', {
        direction: 'recvonly',
        streams: streamsOf(kind),
      });

  peer.onnegotiationneeded = async () => {
    if (!hasMet || isClosed) return;
    try {
      isOffering = true;
      await peer.setLocalDescription();
      if (peer.localDescription) tell(peer.localDescription);
    } catch {
      // Superseded by a newer description; the browser fires the event again if it is still needed.
    } finally {
      isOffering = false;
    }
  };
  peer.onicecandidate = ({ candidate }) => {
    if (!candidate?.candidate) return;
    giveTime();
    const { candidate: line, sdpMid, sdpMLineIndex, usernameFragment } = candidate;
    events.send({
      kind: 'candidate',
      candidate: line,
      sdp_mid: sdpMid,
      sdp_m_line_index: sdpMLineIndex,
      username_fragment: usernameFragment,
    });
  };
  peer.ontrack = ({ transceiver, track }) => {
    const kind = KINDS[peer.getTransceivers().indexOf(transceiver)];
    if (!kind) return;
    const show = () => events.onTrack(kind, track.muted ? null : track);
    track.onmute = show;
    track.onunmute = show;
    track.onended = () => events.onTrack(kind, null);
    show();
  };
  chat.onmessage = ({ data }) => typeof data === 'string' && data.length <= MAX_CHAT_LENGTH && events.onChat(data);
  chat.onopen = () => events.onChatOpen(true);
  chat.onclose = () => events.onChatOpen(false);
  states.onmessage = ({ data }) => {
    const told = parseDeviceStatus(data);
    if (told) events.onSide(told);
  };
  const tellState = () => {
    if (own && states.readyState === 'open') states.send(serializeDeviceStatus(own));
  };
  states.onopen = tellState;

  const enter = (next: ConnectionState) => {
    if (next === state || isClosed) return;
    state = next;
    events.onState(next);
  };
  function tellAgain(): void {
    if (peer.signalingState === 'have-local-offer' && peer.localDescription) tell(peer.localDescription);
  }
  const reminder = setInterval(tellAgain, UNANSWERED_MS);
  function restart(): void {
    silentTries = 0;
    look();
  }
  function look(): void {
    if (isClosed || !hasMet) return;
    // A pending offer has the candidates of the previous network. It is not rolled back, because its answer would be
    // taken for the answer to the next offer; the browser creates that offer when the answer has arrived.
    tellAgain();
    peer.restartIce();
    wait(TRY_AGAIN_MS);
  }
  function wait(ms: number): void {
    endPatience();
    patienceEnds = performance.now() + ms;
    patience = setTimeout(() => {
      const before = lastPacketTime(peer);
      patience = setTimeout(() => judge(before), SILENT_MS);
    }, ms - SILENT_MS);
  }
  /** Extends the wait after a new candidate: another ICE restart would discard it. */
  function giveTime(): void {
    if (patience !== undefined && patienceEnds - performance.now() < TRY_WAY_MS) wait(TRY_WAY_MS);
  }
  function judge(heardBefore: number): void {
    patience = undefined;
    // A browser reports a dead connection as connected for several more seconds.
    const isSilent = heardBefore > 0 && lastPacketTime(peer) === heardBefore;
    if (state === 'connected') {
      if (!isSilent || silentTries >= SILENT_TRIES) return;
      silentTries += 1;
    }
    look();
  }
  function endPatience(): void {
    clearTimeout(patience);
    patience = undefined;
  }
  peer.onconnectionstatechange = () => {
    const found = peer.connectionState;
    if (found === 'connected') {
      endPatience();
      enter('connected');
      // Firefox accepts no bitrate limit before negotiation.
      for (const kind of KINDS) void cap(kind);
    } else if (found === 'disconnected' || found === 'failed') {
      if (state === 'connected') enter('broken');
      if (found === 'failed') look();
      else wait(PATIENCE_MS);
    }
  };

  async function describe({ type, sdp }: Extract<LineSignal, { kind: 'description' }>): Promise<void> {
    // A repeated offer gets its first answer again: a new answer would be taken for the answer to a later offer.
    if (type === 'offer' && answered && answered.round === roundOf(sdp)) return tell(answered.with);
    // A repeated answer, to a previous offer.
    if (type === 'answer' && sdp === takenAnswer) return;
    const crosses = type === 'offer' && (isOffering || peer.signalingState !== 'stable');
    isIgnoring = !polite && crosses;
    if (isIgnoring || (type === 'answer' && peer.signalingState !== 'have-local-offer')) return;
    await peer.setRemoteDescription({ type, sdp });
    if (type === 'answer') takenAnswer = sdp;
    const isFirst = !hasMet;
    hasMet = true;
    for (const candidate of kept.splice(0)) await peer.addIceCandidate(candidate).catch(() => undefined);
    if (type !== 'offer') return;
    if (isFirst && polite) for (const kind of KINDS) sectionOf(kind)?.sender.setStreams?.(...streamsOf(kind));
    await fillAll();
    await peer.setLocalDescription();
    if (!peer.localDescription) return;
    answered = { round: roundOf(sdp), with: peer.localDescription };
    tell(peer.localDescription);
  }
  async function receive(signal: LineSignal): Promise<void> {
    if (isClosed) return;
    if (signal.kind === 'description') return describe(signal);
    const candidate = {
      candidate: signal.candidate,
      sdpMid: signal.sdp_mid,
      sdpMLineIndex: signal.sdp_m_line_index,
      usernameFragment: signal.username_fragment,
    };
    // Candidates are not ordered with descriptions: those of an answer may arrive before it, while an offer is ignored.
    if (!peer.remoteDescription || isIgnoring) {
      if (kept.length < MOST_KEPT_CANDIDATES) kept.push(candidate);
      return;
    }
    await peer.addIceCandidate(candidate);
    giveTime();
  }

  return {
    peer,
    take(signal) {
      // A signal that does not apply (of another round, or invalid) changes nothing.
      turn = turn.then(() => receive(signal)).catch(() => undefined);
      return turn;
    },
    async put(kind, track) {
      wanted[kind] = track;
      await fill(kind);
    },
    restart,
    isLooking: () => patience !== undefined,
    tellAgain,
    say(text) {
      if (chat.readyState !== 'open') return false;
      chat.send(text);
      return true;
    },
    show(state) {
      own = state;
      tellState();
    },
    close() {
      isClosed = true;
      endPatience();
      clearInterval(reminder);
      peer.close();
    },
  };
}
