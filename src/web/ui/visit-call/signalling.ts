import type {
  CallSeatView,
  CallSignal,
  LineQuality,
  RoomView,
  SendSignalInput,
  SignalView,
} from '#contract/visit-call.ts';
import { createEventReader } from './event-stream.ts';

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 4_000;
/**
 * The server sends a ping every five seconds, which the client acknowledges, so that the server detects a dead device.
 */
const SILENCE_MS = 25_000;
const ANSWER_EVERY_MS = 4_000;
/** After these attempts the peer connection repeats its description itself. */
const SEND_TRIES = 8;
const TRY_MS = 8_000;
/** Status codes that a retry does not change. */
const isFinal = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 429;

/** The connection quality of a participant, shown to staff. */
export type CallReport = {
  devices?: 'ok' | 'camera_blocked' | 'microphone_blocked' | 'no_devices' | 'unsupported';
  path?: 'direct' | 'relay' | 'none';
  quality?: LineQuality;
  media?: 'video' | 'audio';
};

export type SignallingEvents = {
  onRoom: (room: RoomView) => void;
  onSignal: (signal: SignalView) => void;
  /** True while the event stream is connected; an established call continues without it. */
  onHeard: (isHeard: boolean) => void;
  /** The seat's key is no longer valid. */
  onGone: () => void;
};

/** The signalling channel between two participants that are not connected yet. */
export type Signalling = {
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
  let sent = Promise.resolve();
  let wake = () => {};
  /** Ends the pauses before retries. */
  const sleepers = new Set<() => void>();
  /** Signals in delivery, by content, so that the same one is not sent twice at a time. */
  const onTheWay = new Map<string, Promise<void>>();
  /** Requests without a response yet; after a network change the response never arrives. */
  const waiting = new Set<AbortController>();
  /**
   * Counts network changes: failures of the previous network do not extend the backoff in the next, which may need a
   * moment to work.
   */
  let network = 0;

  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        sleepers.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      sleepers.add(end);
    });
  const rouse = () => {
    for (const end of sleepers) end();
  };
  const tryAnew = () => {
    for (const one of waiting) one.abort();
    rouse();
  };

  const post = (step: string, body: object, more: RequestInit = {}) =>
    fetch(`/api/calls/${step}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      cache: 'no-store',
      ...more,
    });

  let answeredAt = 0;
  /** Triggered by received data, not by a timer: browsers throttle the timers of background pages. */
  function sayHere(): void {
    if (performance.now() - answeredAt < ANSWER_EVERY_MS) return;
    answeredAt = performance.now();
    void post('here', {}).catch(() => undefined);
  }

  async function tell(input: SendSignalInput): Promise<Response | null> {
    const one = new AbortController();
    const late = setTimeout(() => one.abort(), TRY_MS);
    waiting.add(one);
    try {
      return await post('signal', input, { signal: one.signal });
    } catch {
      return null;
    } finally {
      clearTimeout(late);
      waiting.delete(one);
    }
  }
  async function deliver(input: SendSignalInput): Promise<void> {
    let wait = FIRST_WAIT_MS;
    for (let tries = 0, known = network; tries < SEND_TRIES && isOpen; tries += 1) {
      const answer = await tell(input);
      if (answer && (answer.ok || isFinal(answer.status))) return;
      if (known !== network) [known, wait] = [network, FIRST_WAIT_MS];
      await rest(wait);
      wait = Math.min(2 * wait, LONGEST_WAIT_MS);
    }
  }

  function hear({ event, id, data }: { event: string; id: string | null; data: string }): void {
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
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => stopping.abort(), SILENCE_MS);
    };
    let wasHeard = false;
    try {
      heard();
      const answer = await fetch('/api/calls/stream', {
        headers: { authorization, accept: 'text/event-stream', ...(lastSeq && { 'last-event-id': String(lastSeq) }) },
        cache: 'no-store',
        signal: stopping.signal,
      });
      if (isFinal(answer.status)) return 'gone';
      if (!answer.ok || !answer.body) return false;
      wasHeard = true;
      // The request itself counts as an acknowledgement.
      answeredAt = performance.now();
      // Signals that failed during the outage can be sent now.
      rouse();
      events.onHeard(true);
      const read = createEventReader(hear);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        heard();
        if (!isOpen) continue;
        sayHere();
        read(piece.value);
      }
    } catch {
      // Broken or aborted; the caller reconnects if needed.
    } finally {
      clearTimeout(silence);
      stopping.abort();
    }
    return wasHeard;
  }

  async function keepListening(): Promise<void> {
    let wait = FIRST_WAIT_MS;
    let known = network;
    while (isOpen) {
      const ended = await listen();
      if (!isOpen) return;
      if (ended === 'gone') {
        events.onGone();
        return;
      }
      events.onHeard(false);
      if (ended || known !== network) [known, wait] = [network, FIRST_WAIT_MS];
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([pause(wait), woken]);
      wait = Math.min(2 * wait, LONGEST_WAIT_MS);
    }
  }
  void keepListening();

  return {
    send(to, signal) {
      const what = `${to} ${JSON.stringify(signal)}`;
      const before = onTheWay.get(what);
      if (before) return before;
      const input: SendSignalInput = { id: crypto.randomUUID(), to_seat_id: to, signal };
      const told = sent.then(() => deliver(input)).finally(() => onTheWay.delete(what));
      onTheWay.set(what, told);
      // Candidates may follow their description in any order; nothing waits for them.
      if (signal.kind !== 'candidate') sent = told;
      return told;
    },
    report: (report) => void post('report', report).catch(() => undefined),
    reopen() {
      network += 1;
      stream.abort();
      wake();
      tryAnew();
    },
    leave: () => void post('leave', {}, { keepalive: true }).catch(() => undefined),
    close() {
      isOpen = false;
      stream.abort();
      wake();
      tryAnew();
    },
  };
}
