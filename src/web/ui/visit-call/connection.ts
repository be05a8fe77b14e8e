import type { CallSignal, IceServer } from '#contract/visit-call.ts';
import { lastPacketTime, SILENT_MS } from './detect-silence.ts';
import { type DeviceStatus, parseDeviceStatus, serializeDeviceStatus } from './device-status.ts';

/** Enough for 720p at 30 frames per second; more would compete with the sound and fill a slow connection. */
const MAX_BITS_PER_SECOND = 1_500_000;

type Sender = Pick<RTCRtpSender, 'getParameters' | 'setParameters'>;

/** Limits the bitrate of a video sender. Errors of browsers that do not support it are ignored. */
export async function capVideoBitrate(sender: Sender): Promise<void> {
  const parameters = sender.getParameters();
  const { encodings } = parameters;
  // Firefox has no encodings before negotiation, and accepts none then.
  if (!encodings?.length || encodings.every(({ maxBitrate }) => maxBitrate === MAX_BITS_PER_SECOND)) return;
  for (const encoding of encodings) encoding.maxBitrate = MAX_BITS_PER_SECOND;
  await sender.setParameters(parameters).catch(() => undefined);
}

/** The tracks, in the order of the connection's transceivers. */
const KINDS = ['microphone', 'camera', 'screen'] as const;
export type TrackKind = (typeof KINDS)[number];
type ConnectionSignal = Extract<CallSignal, { kind: 'description' | 'candidate' }>;

/** `broken`: the connection was lost and is being restored. */
export type ConnectionState = 'connecting' | 'connected' | 'broken';

/** How long a connection may be silent before an ICE restart: one or two lost packets are no network change. */
const SILENCE_BEFORE_RESTART_MS = 1_500;
const RESTART_AGAIN_MS = 3_500;
/** Minimum time to try a newly found candidate: a browser may learn of its new network seconds after the restart. */
const MIN_CANDIDATE_MS = 1_500;
/** ICE restarts while the browser reports a silent connection as connected: the other side may just not send. */
const MAX_SILENT_RESTARTS = 2;
/** An offer without an answer by then is sent again: it or its answer may have been lost. */
const RESEND_OFFER_MS = 6_000;
const CHAT_CHANNEL = 0;
const STATE_CHANNEL = 1;
const MAX_BUFFERED_CANDIDATES = 100;
/** Maximum length of a chat message, sent or received, in UTF-16 code units. */
export const MAX_CHAT_LENGTH = 2_000;

/** The `o=` line (RFC 8866) identifies a description; other lines grow while candidates are gathered. */
const originLineOf = (sdp: string): string | undefined => /^o=.*$/m.exec(sdp)?.[0];

export type ConnectionEvents = {
  send: (signal: ConnectionSignal) => void;
  onState: (state: ConnectionState) => void;
  /** A remote track; null while the other side sends none. */
  onTrack: (kind: TrackKind, track: MediaStreamTrack | null) => void;
  onChat: (text: string) => void;
  onChatOpen: (isOpen: boolean) => void;
  /** The device state of the other participant. */
  onDeviceStatus: (status: DeviceStatus) => void;
};

type ConnectionOptions = {
  /** The polite peer of perfect negotiation: it rolls back its offer on a glare, and waits for the first offer. */
  polite: boolean;
  iceServers: IceServer[];
  iceTransportPolicy?: RTCIceTransportPolicy;
};

export type Connection = {
  peer: RTCPeerConnection;
  handleSignal: (signal: ConnectionSignal) => Promise<void>;
  setTrack: (kind: TrackKind, track: MediaStreamTrack | null) => Promise<void>;
  /** Restarts ICE; media continues to flow where it can. */
  restart: () => void;
  /** True while it waits for the result of an ICE restart, which it evaluates itself. */
  isRestarting: () => boolean;
  /** Sends a pending offer again, which may have been lost while the other side was away. */
  resendOffer: () => void;
  sendMessage: (text: string) => boolean;
  /** Sends this participant's device state, as soon as the channel is open. */
  sendStatus: (status: DeviceStatus) => void;
  close: () => void;
};

/** Opens the peer connection of a call to one other seat, by perfect negotiation (W3C WebRTC). */
export function openConnection({ polite, ...options }: ConnectionOptions, events: ConnectionEvents): Connection {
  const peer = new RTCPeerConnection({ bundlePolicy: 'max-bundle', ...options });
  const chat = peer.createDataChannel('chat', { negotiated: true, id: CHAT_CHANNEL });
  const states = peer.createDataChannel('state', { negotiated: true, id: STATE_CHANNEL });
  let ownStatus: DeviceStatus | null = null;
  const localTracks: Record<TrackKind, MediaStreamTrack | null> = { microphone: null, camera: null, screen: null };
  const bufferedCandidates: RTCIceCandidateInit[] = [];
  let state: ConnectionState = 'connecting';
  let isOffering = false;
  let isIgnoring = false;
  let hasNegotiated = !polite;
  let isClosed = false;
  /** The last offer that was answered, with its answer. */
  let answered: { originLine: string | undefined; answer: RTCSessionDescription } | null = null;
  let appliedAnswer = '';
  let lastSignal = Promise.resolve();
  let checkTimer: ReturnType<typeof setTimeout> | undefined;
  let checkDueAt = 0;
  let silentRestarts = 0;

  const transceiverOf = (kind: TrackKind): RTCRtpTransceiver | undefined => peer.getTransceivers()[KINDS.indexOf(kind)];
  const sendDescription = ({ type, sdp }: RTCSessionDescription) => {
    if (type !== 'pranswer') events.send({ kind: 'description', type, sdp });
  };

  async function capBitrate(kind: TrackKind): Promise<void> {
    const sender = transceiverOf(kind)?.sender;
    if (sender?.track?.kind === 'video') await capVideoBitrate(sender);
  }
  async function applyTrack(kind: TrackKind): Promise<void> {
    const transceiver = transceiverOf(kind);
    if (!transceiver || isClosed) return;
    const track = localTracks[kind];
    // A changed direction triggers negotiation; from it the other side learns that the track has ended.
    const direction = track ? 'sendrecv' : 'recvonly';
    if (transceiver.direction !== direction) transceiver.direction = direction;
    if (transceiver.sender.track !== track) await transceiver.sender.replaceTrack(track);
    await capBitrate(kind);
  }
  const applyTracks = async () => {
    for (const kind of KINDS) await applyTrack(kind);
  };

  /** One stream for microphone and camera, so that browsers play them in sync. */
  const cameraStream = new MediaStream();
  const streamsOf = (kind: TrackKind) => (kind === 'screen' ? [] : [cameraStream]);
  if (!polite)
    for (const kind of KINDS)
      peer.addTransceiver(kind === 'microphone' ? 'audio' : 'video', {
        direction: 'recvonly',
        streams: streamsOf(kind),
      });

  peer.onnegotiationneeded = async () => {
    if (!hasNegotiated || isClosed) return;
    try {
      isOffering = true;
      await peer.setLocalDescription();
      if (peer.localDescription) sendDescription(peer.localDescription);
    } catch {
      // Superseded by a newer description; the browser fires the event again if it is still needed.
    } finally {
      isOffering = false;
    }
  };
  peer.onicecandidate = ({ candidate }) => {
    if (!candidate?.candidate) return;
    extendWait();
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
    const status = parseDeviceStatus(data);
    if (status) events.onDeviceStatus(status);
  };
  const sendOwnStatus = () => {
    if (ownStatus && states.readyState === 'open') states.send(serializeDeviceStatus(ownStatus));
  };
  states.onopen = sendOwnStatus;

  const setState = (next: ConnectionState) => {
    if (next === state || isClosed) return;
    state = next;
    events.onState(next);
  };
  function resendOffer(): void {
    if (peer.signalingState === 'have-local-offer' && peer.localDescription) sendDescription(peer.localDescription);
  }
  const resendTimer = setInterval(resendOffer, RESEND_OFFER_MS);
  function restart(): void {
    silentRestarts = 0;
    restartIce();
  }
  function restartIce(): void {
    if (isClosed || !hasNegotiated) return;
    // A pending offer has the candidates of the previous network. It is not rolled back, because its answer would be
    // taken for the answer to the next offer; the browser creates that offer when the answer has arrived.
    resendOffer();
    peer.restartIce();
    scheduleCheck(RESTART_AGAIN_MS);
  }
  function scheduleCheck(ms: number): void {
    cancelCheck();
    checkDueAt = performance.now() + ms;
    checkTimer = setTimeout(() => {
      const before = lastPacketTime(peer);
      checkTimer = setTimeout(() => checkSilence(before), SILENT_MS);
    }, ms - SILENT_MS);
  }
  /** Extends the wait after a new candidate: another ICE restart would discard it. */
  function extendWait(): void {
    if (checkTimer !== undefined && checkDueAt - performance.now() < MIN_CANDIDATE_MS) scheduleCheck(MIN_CANDIDATE_MS);
  }
  function checkSilence(packetTimeBefore: number): void {
    checkTimer = undefined;
    // A browser reports a dead connection as connected for several more seconds.
    const isSilent = packetTimeBefore > 0 && lastPacketTime(peer) === packetTimeBefore;
    if (state === 'connected') {
      if (!isSilent || silentRestarts >= MAX_SILENT_RESTARTS) return;
      silentRestarts += 1;
    }
    restartIce();
  }
  function cancelCheck(): void {
    clearTimeout(checkTimer);
    checkTimer = undefined;
  }
  peer.onconnectionstatechange = () => {
    const peerState = peer.connectionState;
    if (peerState === 'connected') {
      cancelCheck();
      setState('connected');
      // Firefox accepts no bitrate limit before negotiation.
      for (const kind of KINDS) void capBitrate(kind);
    } else if (peerState === 'disconnected' || peerState === 'failed') {
      if (state === 'connected') setState('broken');
      if (peerState === 'failed') restartIce();
      else scheduleCheck(SILENCE_BEFORE_RESTART_MS);
    }
  };

  async function applyDescription({ type, sdp }: Extract<ConnectionSignal, { kind: 'description' }>): Promise<void> {
    // A repeated offer gets its first answer again: a new answer would be taken for the answer to a later offer.
    if (type === 'offer' && answered && answered.originLine === originLineOf(sdp))
      return sendDescription(answered.answer);
    // A repeated answer, to a previous offer.
    if (type === 'answer' && sdp === appliedAnswer) return;
    const collides = type === 'offer' && (isOffering || peer.signalingState !== 'stable');
    isIgnoring = !polite && collides;
    if (isIgnoring || (type === 'answer' && peer.signalingState !== 'have-local-offer')) return;
    await peer.setRemoteDescription({ type, sdp });
    if (type === 'answer') appliedAnswer = sdp;
    const isFirst = !hasNegotiated;
    hasNegotiated = true;
    for (const candidate of bufferedCandidates.splice(0)) await peer.addIceCandidate(candidate).catch(() => undefined);
    if (type !== 'offer') return;
    if (isFirst && polite) for (const kind of KINDS) transceiverOf(kind)?.sender.setStreams?.(...streamsOf(kind));
    await applyTracks();
    await peer.setLocalDescription();
    if (!peer.localDescription) return;
    answered = { originLine: originLineOf(sdp), answer: peer.localDescription };
    sendDescription(peer.localDescription);
  }
  async function receive(signal: ConnectionSignal): Promise<void> {
    if (isClosed) return;
    if (signal.kind === 'description') return applyDescription(signal);
    const candidate = {
      candidate: signal.candidate,
      sdpMid: signal.sdp_mid,
      sdpMLineIndex: signal.sdp_m_line_index,
      usernameFragment: signal.username_fragment,
    };
    // Candidates are not ordered with descriptions: those of an answer may arrive before it, while an offer is ignored.
    if (!peer.remoteDescription || isIgnoring) {
      if (bufferedCandidates.length < MAX_BUFFERED_CANDIDATES) bufferedCandidates.push(candidate);
      return;
    }
    await peer.addIceCandidate(candidate);
    extendWait();
  }

  return {
    peer,
    handleSignal(signal) {
      // A signal that does not apply (of another round, or invalid) changes nothing.
      lastSignal = lastSignal.then(() => receive(signal)).catch(() => undefined);
      return lastSignal;
    },
    async setTrack(kind, track) {
      localTracks[kind] = track;
      await applyTrack(kind);
    },
    restart,
    isRestarting: () => checkTimer !== undefined,
    resendOffer,
    sendMessage(text) {
      if (chat.readyState !== 'open') return false;
      chat.send(text);
      return true;
    },
    sendStatus(status) {
      ownStatus = status;
      sendOwnStatus();
    },
    close() {
      isClosed = true;
      cancelCheck();
      clearInterval(resendTimer);
      peer.close();
    },
  };
}
