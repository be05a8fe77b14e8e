import type { CallSignal, IceServer } from '#contract/visit-call.ts';
import { lastHeard, SILENT_MS } from './feel-pulse.ts';
import { capPicture } from './picture-rate.ts';
import { readState, type SideState, writeState } from './side-state.ts';

/** What is sent, in the order of the line's sections. */
const KINDS = ['microphone', 'camera', 'screen'] as const;
export type TrackKind = (typeof KINDS)[number];
type LineSignal = Extract<CallSignal, { kind: 'description' | 'candidate' }>;

/** `broken`: it stood, and is being brought back. */
export type LineState = 'connecting' | 'connected' | 'broken';

/** How long a line may be silent before the way is looked for anew: a lost packet or two is no change of network. */
const PATIENCE_MS = 1_500;
const TRY_AGAIN_MS = 3_500;
/** How long a way that was just told of is tried: a browser may learn of its new network seconds after it was asked. */
const TRY_WAY_MS = 1_500;
/** How often more a way is looked for where the browser still calls a silent line connected: nobody may be sending. */
const SILENT_TRIES = 2;
/** What is not answered by then may have been lost, or its answer may. */
const UNANSWERED_MS = 6_000;
const CHAT_CHANNEL = 0;
const STATE_CHANNEL = 1;
const MOST_KEPT_CANDIDATES = 100;
/** Of what is written at once, here and there. */
export const MOST_CHAT_LETTERS = 2_000;

/** Which of a peer's descriptions it is; what else stands in it grows while ways are found. */
const roundOf = (sdp: string): string | undefined => /^o=.*$/m.exec(sdp)?.[0];

export type LineEvents = {
  send: (signal: LineSignal) => void;
  onState: (state: LineState) => void;
  /** What comes of the other side; null while it sends none. */
  onTrack: (kind: TrackKind, track: MediaStreamTrack | null) => void;
  onChat: (text: string) => void;
  onChatOpen: (isOpen: boolean) => void;
  /** How the other side takes part. */
  onSide: (state: SideState) => void;
};

export type LineOptions = {
  /** Of two offers that cross, this side gives up its own; it also waits for the first. */
  polite: boolean;
  iceServers: IceServer[];
  iceTransportPolicy?: RTCIceTransportPolicy;
};

export type Line = {
  peer: RTCPeerConnection;
  take: (signal: LineSignal) => Promise<void>;
  put: (kind: TrackKind, track: MediaStreamTrack | null) => Promise<void>;
  /** Looks for a way anew; the call goes on meanwhile where it can. */
  restart: () => void;
  /** Whether it looks for a way, and judges by itself whether it has found one. */
  isLooking: () => boolean;
  /** What was told may have been lost while the other side was away: an open offer is told again. */
  tellAgain: () => void;
  say: (text: string) => boolean;
  /** Tells the other side how this one takes part, as soon as it can be told. */
  show: (state: SideState) => void;
  close: () => void;
};

/** A line of one call to one other side, by perfect negotiation. */
export function openLine({ polite, ...options }: LineOptions, events: LineEvents): Line {
  const peer = new RTCPeerConnection({ bundlePolicy: 'max-bundle', ...options });
  const chat = peer.createDataChannel('chat', { negotiated: true, id: CHAT_CHANNEL });
  const states = peer.createDataChannel('state', { negotiated: true, id: STATE_CHANNEL });
  let own: SideState | null = null;
  const wanted: Record<TrackKind, MediaStreamTrack | null> = { microphone: null, camera: null, screen: null };
  const kept: RTCIceCandidateInit[] = [];
  let state: LineState = 'connecting';
  let isOffering = false;
  let isIgnoring = false;
  let hasMet = !polite;
  let isClosed = false;
  /** The last offer that was answered, and with what. */
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
    if (sender?.track?.kind === 'video') await capPicture(sender);
  }
  async function fill(kind: TrackKind): Promise<void> {
    const section = sectionOf(kind);
    if (!section || isClosed) return;
    const track = wanted[kind];
    // A changed direction is negotiated by itself; the other side learns from it that nothing comes any more.
    const direction = track ? 'sendrecv' : 'recvonly';
    if (section.direction !== direction) section.direction = direction;
    if (section.sender.track !== track) await section.sender.replaceTrack(track);
    await cap(kind);
  }
  const fillAll = async () => {
    for (const kind of KINDS) await fill(kind);
  };

  /** Lips and voice belong together, and are played so. */
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
      // Something newer was on its way; the browser asks again if it is still needed.
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
  chat.onmessage = ({ data }) => typeof data === 'string' && data.length <= MOST_CHAT_LETTERS && events.onChat(data);
  chat.onopen = () => events.onChatOpen(true);
  chat.onclose = () => events.onChatOpen(false);
  states.onmessage = ({ data }) => {
    const told = readState(data);
    if (told) events.onSide(told);
  };
  const tellState = () => {
    if (own && states.readyState === 'open') states.send(writeState(own));
  };
  states.onopen = tellState;

  const enter = (next: LineState) => {
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
    // An offer that nobody has answered yet names the ways of the network before. It is not taken back, for its answer
    // would be taken for the next one's: the browser makes that one by itself as soon as the answer has come.
    tellAgain();
    peer.restartIce();
    wait(TRY_AGAIN_MS);
  }
  function wait(ms: number): void {
    endPatience();
    patienceEnds = performance.now() + ms;
    patience = setTimeout(() => {
      const before = lastHeard(peer);
      patience = setTimeout(() => judge(before), SILENT_MS);
    }, ms - SILENT_MS);
  }
  /** To look anew would throw away what has just been found. */
  function giveTime(): void {
    if (patience !== undefined && patienceEnds - performance.now() < TRY_WAY_MS) wait(TRY_WAY_MS);
  }
  function judge(heardBefore: number): void {
    patience = undefined;
    // A browser calls a line connected for several seconds more, though nothing comes by it.
    const isSilent = heardBefore > 0 && lastHeard(peer) === heardBefore;
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
      // What could not be capped before it was negotiated.
      for (const kind of KINDS) void cap(kind);
    } else if (found === 'disconnected' || found === 'failed') {
      if (state === 'connected') enter('broken');
      if (found === 'failed') look();
      else wait(PATIENCE_MS);
    }
  };

  async function describe({ type, sdp }: Extract<LineSignal, { kind: 'description' }>): Promise<void> {
    // Told again before its answer had come: it has the same answer, which counts once. Another would be taken for the
    // answer to what was offered after it.
    if (type === 'offer' && answered && answered.round === roundOf(sdp)) return tell(answered.with);
    // The answer to an offer before this one.
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
    // Candidates wait for nobody on their way, so those of an answer may come before it, while an offer is passed over.
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
      // What does not fit (another round's, or nonsense) changes nothing.
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
