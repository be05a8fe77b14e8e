import type {
  CallDevices,
  CallSeatView,
  CallSignal,
  LineQuality,
  RoomView,
  SendSignalInput,
  SignalView,
} from '#contract/visit-call.ts';

/** One server-sent event; `data` is unparsed. */
export type StreamEvent = { event: string; id: string | null; data: string };

/** Returns a parser for a stream of server-sent events (WHATWG HTML) that accepts pieces of any size. */
export function createEventReader(onEvent: (event: StreamEvent) => void) {
  let rest = '';
  let current: StreamEvent = { event: 'message', id: null, data: '' };
  function line(text: string): void {
    if (text === '') {
      if (current.data) onEvent({ ...current, data: current.data.slice(0, -1) });
      current = { event: 'message', id: null, data: '' };
      return;
    }
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(text) ?? [];
    if (field === 'event') current.event = value;
    else if (field === 'id') current.id = value;
    else if (field === 'data') current.data += `${value}\n`;
  }
  return (piece: string): void => {
    const lines = (rest + piece).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const text of lines) line(text);
  };
}

const FIRST_WAIT_MS = 300;
const MAX_WAIT_MS = 4_000;
/**
 * The server sends a ping every five seconds, which the client acknowledges, so that the server detects a dead device.
 */
const SILENCE_MS = 25_000;
const ACKNOWLEDGE_EVERY_MS = 4_000;
/** After these attempts the peer connection repeats its description itself. */
const MAX_SEND_ATTEMPTS = 8;
const SEND_TIMEOUT_MS = 8_000;
/** Status codes that a retry does not change. */
const isFinal = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 429;

/** The connection quality of a participant, shown to staff. */
export type CallReport = {
  devices?: CallDevices;
  path?: 'direct' | 'relay' | 'none';
  quality?: LineQuality;
  media?: 'video' | 'audio';
};

type SignallingEvents = {
  onRoom: (room: RoomView) => void;
  onSignal: (signal: SignalView) => void;
  /** True while the event stream is connected; an established call continues without it. */
  onStreamChange: (isStreamOpen: boolean) => void;
  /** The seat's key is no longer valid. */
  onSeatLost: () => void;
};

/** The signalling channel between two participants that are not connected yet. */
type Signalling = {
  /** Resolves when the signal is delivered or given up. Descriptions stay in order. */
  send: (to: string, signal: CallSignal) => Promise<void>;
  report: (report: CallReport) => void;
  /** Reconnects after a network change. */
  reopen: () => void;
  leave: () => void;
  close: () => void;
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Opens signalling by server-sent events and POST, which pass every proxy that has passed this page. */
export function openSignalling({ key }: Pick<CallSeatView, 'key'>, events: SignallingEvents): Signalling {
  const authorization = `Bearer ${key}`;
  let isOpen = true;
  let stream = new AbortController();
  let lastSeq = 0;
  let lastSend = Promise.resolve();
  let wake = () => {};
  /** Ends the pauses before retries. */
  const sleepers = new Set<() => void>();
  /** Signals in delivery, by content, so that the same one is not sent twice at a time. */
  const inFlight = new Map<string, Promise<void>>();
  /** Requests without a response yet; after a network change the response never arrives. */
  const pendingRequests = new Set<AbortController>();
  /**
   * Counts network changes: failures of the previous network do not extend the backoff in the next, which may need a
   * moment to work.
   */
  let network = 0;

  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        sleepers.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      sleepers.add(end);
    });
  const wakeSleepers = () => {
    for (const end of sleepers) end();
  };
  const retryNow = () => {
    for (const request of pendingRequests) request.abort();
    wakeSleepers();
  };

  const post = (step: string, body: object, init: RequestInit = {}) =>
    fetch(`/api/calls/${step}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      cache: 'no-store',
      ...init,
    });

  let acknowledgedAt = 0;
  /** Triggered by received data, not by a timer: browsers throttle the timers of background pages. */
  function acknowledge(): void {
    if (performance.now() - acknowledgedAt < ACKNOWLEDGE_EVERY_MS) return;
    acknowledgedAt = performance.now();
    void post('here', {}).catch(() => undefined);
  }

  async function postSignal(input: SendSignalInput): Promise<Response | null> {
    const request = new AbortController();
    const timeout = setTimeout(() => request.abort(), SEND_TIMEOUT_MS);
    pendingRequests.add(request);
    try {
      return await post('signal', input, { signal: request.signal });
    } catch {
      return null;
    } finally {
      clearTimeout(timeout);
      pendingRequests.delete(request);
    }
  }
  async function deliver(input: SendSignalInput): Promise<void> {
    let wait = FIRST_WAIT_MS;
    for (let attempt = 0, knownNetwork = network; attempt < MAX_SEND_ATTEMPTS && isOpen; attempt += 1) {
      const response = await postSignal(input);
      if (response && (response.ok || isFinal(response.status))) return;
      if (knownNetwork !== network) [knownNetwork, wait] = [network, FIRST_WAIT_MS];
      await sleep(wait);
      wait = Math.min(2 * wait, MAX_WAIT_MS);
    }
  }

  function handleEvent({ event, id, data }: { event: string; id: string | null; data: string }): void {
    if (event === 'room') events.onRoom(JSON.parse(data) as RoomView);
    if (event !== 'signal') return;
    const signal = JSON.parse(data) as SignalView;
    const seq = Number(id ?? signal.seq);
    // Repeated after a reconnect.
    if (seq <= lastSeq) return;
    lastSeq = seq;
    events.onSignal(signal);
  }

  /** One connection until it ends. Resolves to true if it was established, or to `gone`. */
  async function listen(): Promise<boolean | 'gone'> {
    const stopping = new AbortController();
    stream = stopping;
    let silence: ReturnType<typeof setTimeout> | undefined;
    const resetSilenceTimer = () => {
      clearTimeout(silence);
      silence = setTimeout(() => stopping.abort(), SILENCE_MS);
    };
    let wasConnected = false;
    try {
      resetSilenceTimer();
      const response = await fetch('/api/calls/stream', {
        headers: { authorization, accept: 'text/event-stream', ...(lastSeq && { 'last-event-id': String(lastSeq) }) },
        cache: 'no-store',
        signal: stopping.signal,
      });
      if (isFinal(response.status)) return 'gone';
      if (!response.ok || !response.body) return false;
      wasConnected = true;
      // The request itself counts as an acknowledgement.
      acknowledgedAt = performance.now();
      // Signals that failed during the outage can be sent now.
      wakeSleepers();
      events.onStreamChange(true);
      const read = createEventReader(handleEvent);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        resetSilenceTimer();
        if (!isOpen) continue;
        acknowledge();
        read(piece.value);
      }
    } catch {
      // Broken or aborted; the caller reconnects if needed.
    } finally {
      clearTimeout(silence);
      stopping.abort();
    }
    return wasConnected;
  }

  async function keepListening(): Promise<void> {
    let wait = FIRST_WAIT_MS;
    let knownNetwork = network;
    while (isOpen) {
      const outcome = await listen();
      if (!isOpen) return;
      if (outcome === 'gone') {
        events.onSeatLost();
        return;
      }
      events.onStreamChange(false);
      if (outcome || knownNetwork !== network) [knownNetwork, wait] = [network, FIRST_WAIT_MS];
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([pause(wait), woken]);
      wait = Math.min(2 * wait, MAX_WAIT_MS);
    }
  }
  void keepListening();

  return {
    send(to, signal) {
      const content = `${to} ${JSON.stringify(signal)}`;
      const before = inFlight.get(content);
      if (before) return before;
      const input: SendSignalInput = { id: crypto.randomUUID(), to_seat_id: to, signal };
      const delivered = lastSend.then(() => deliver(input)).finally(() => inFlight.delete(content));
      inFlight.set(content, delivered);
      // Candidates may follow their description in any order; nothing waits for them.
      if (signal.kind !== 'candidate') lastSend = delivered;
      return delivered;
    },
    report: (report) => void post('report', report).catch(() => undefined),
    reopen() {
      network += 1;
      stream.abort();
      wake();
      retryNow();
    },
    leave: () => void post('leave', {}, { keepalive: true }).catch(() => undefined),
    close() {
      isOpen = false;
      stream.abort();
      wake();
      retryNow();
    },
  };
}
