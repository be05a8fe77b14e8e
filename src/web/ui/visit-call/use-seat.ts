'use client';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { CallSeatView } from '#contract/visit-call.ts';
import { readApiErrors } from '#web/ui/api-errors.ts';
import { readTabValue, removeTabValue, storeTabValue } from '../tab-storage.ts';
import { type Call, createCall, isRoomEnded } from './call.ts';
import { createMedia, type Hidden, type Media } from './media.ts';

const KEY = 'visit-seat';

/** `of` identifies the appointment. `hold`: the secret that identifies this tab in it. */
type StoredSeat = { of: string; hold: string; hidden: Hidden };

/**
 * The stored seat of this tab in an appointment that it has entered, or requested to enter: a reload takes it again.
 */
export function storedSeat(of: string): StoredSeat | null {
  const stored = JSON.parse(readTabValue(KEY) ?? 'null') as StoredSeat | null;
  return stored?.of === of ? stored : null;
}

/** Stores the secret before the request for the seat: a lost response may have assigned the seat. */
export function storeSeat(of: string, hidden: Hidden): string {
  const hold = storedSeat(of)?.hold ?? crypto.randomUUID();
  storeTabValue(KEY, JSON.stringify({ of, hold, hidden } satisfies StoredSeat));
  return hold;
}

/** Stores what the participant hides, so that it stays hidden after a reload. */
export function storeHidden(of: string, hidden: Hidden): void {
  if (storedSeat(of)) storeSeat(of, hidden);
}

export const clearStoredSeat = (): void => removeTabValue(KEY);

/**
 * The interface to the video provider: takes a seat and the local media, and returns the call to follow, send into and
 * leave. Pages depend on nothing else; a provider with a media server for groups would be another file next to
 * `call.ts`, selected here.
 */
type Engine = (seat: CallSeatView, media: Media) => Call;

/** The built-in engine: a direct connection between two browsers. */
const engine: Engine = createCall;

type Seat = {
  /** Null until the first effect in the browser. */
  media: Media | null;
  call: Call | null;
  isEntering: boolean;
  /** Why the call could not be entered. */
  error: unknown;
  enter: () => Promise<void>;
  /** Leaves the call and stops camera and microphone. */
  leave: () => void;
};

const MAX_ATTEMPTS = 15;
const RETRY_MS = 1_000;
/** Other clients behind the same IP address may have used up the rate limit. */
const RETRY_WHEN_LIMITED_MS = 5_000;
const DEVICES_TIMEOUT_MS = 1_500;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Temporary errors, which say nothing about the seat. */
const TEMPORARY_CODES = ['unreachable', 'internal_error', 'service_busy', 'rate_limited'];
const codeOf = (error: unknown): string => readApiErrors(error)[0].code;
const isTemporary = (error: unknown): boolean => TEMPORARY_CODES.includes(codeOf(error));

/** A participant who already had a seat is reconnected automatically as soon as the service is back. */
async function requestWithRetry(isBack: boolean, requestSeat: () => Promise<CallSeatView>): Promise<CallSeatView> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await requestSeat();
    } catch (error) {
      if (!isBack || !isTemporary(error) || attempt >= MAX_ATTEMPTS) throw error;
      await pause(codeOf(error) === 'rate_limited' ? RETRY_WHEN_LIMITED_MS : RETRY_MS);
    }
  }
}

/** The local media with the state from before a reload: hidden devices stay hidden. */
function openMedia(of: string): Media {
  const media = createMedia(storedSeat(of)?.hidden);
  media.subscribe(() => storeHidden(of, media.hidden()));
  return media;
}

/**
 * Takes a seat in the call of the appointment `of`, with the local media. A reload takes the seat again automatically.
 * @param requestSeat requests the seat with the secret that identifies this tab
 */
export function useSeat(of: string, requestSeat: (hold: string) => Promise<CallSeatView>): Seat {
  const [media, setMedia] = useState<Media | null>(null);
  const [call, setCall] = useState<Call | null>(null);
  const [isEntering, setEntering] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const latest = useRef({ requestSeat, call, media });
  latest.current = { requestSeat, call, media };
  /** Media of a page or a seat that was left. */
  const closedMedia = useRef(new WeakSet<Media>());

  const takeSeat = useCallback(
    async (own: Media) => {
      setEntering(true);
      setError(null);
      const isBack = storedSeat(of) !== null;
      const hold = storeSeat(of, own.hidden());
      try {
        const started = own.read().stage === 'off' ? own.start().catch(() => undefined) : undefined;
        const seat = await requestWithRetry(isBack, () => latest.current.requestSeat(hold));
        // A participant who overlooks the browser's device prompt enters anyway, and sees a notice in the call.
        await Promise.race([started, pause(DEVICES_TIMEOUT_MS)]);
        // The page was left during the request: no code would ever leave the seat.
        if (closedMedia.current.has(own)) return;
        latest.current.call?.close();
        setCall(engine(seat, own));
      } catch (failure) {
        if (closedMedia.current.has(own)) return;
        const isVerificationRequired = codeOf(failure) === 'verification_required';
        if (!isTemporary(failure) && !(isBack && isVerificationRequired)) clearStoredSeat();
        // A refused participant can only try again later, without camera and microphone on until then.
        if (!isTemporary(failure) && !isVerificationRequired) own.close();
        latest.current.call?.close();
        setCall(null);
        setError(failure);
      } finally {
        if (!closedMedia.current.has(own)) setEntering(false);
      }
    },
    [of],
  );

  useEffect(() => {
    const own = openMedia(of);
    const closed = closedMedia.current;
    setMedia(own);
    if (storedSeat(of)) void takeSeat(own);
    return () => {
      latest.current.call?.close();
      latest.current.media?.close();
      if (latest.current.media) closed.add(latest.current.media);
      closed.add(own);
      own.close();
    };
  }, [of, takeSeat]);

  // A seat that was lost without leaving (after a long outage) is taken again once.
  useEffect(() => {
    if (!call || !media) return;
    let hasRetried = false;
    return call.subscribe(() => {
      // A reload after the end of the call must not enter again.
      if (isRoomEnded(call.read().room)) clearStoredSeat();
      if (!call.read().isSeatLost || hasRetried) return;
      hasRetried = true;
      void takeSeat(media);
    });
  }, [call, media, takeSeat]);

  return {
    media,
    call,
    isEntering,
    error,
    enter: async () => {
      if (media) await takeSeat(media);
    },
    leave() {
      clearStoredSeat();
      call?.leave();
      media?.close();
      setCall(null);
      setMedia(openMedia(of));
    },
  };
}
