'use client';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { CallSeatView } from '#contract/visit-call.ts';
import { readApiFaults } from '#web/ui/api-faults.ts';
import { type Call, isFinal } from './call.ts';
import { engine } from './engine.ts';
import { forgetSeat, holdSeat, keepHidden, keptSeat } from './kept-seat.ts';
import { createMedia, type Media } from './media.ts';

type Seat = {
  /** Null until the page is drawn in a browser. */
  media: Media | null;
  call: Call | null;
  isEntering: boolean;
  /** Why it could not be entered. */
  error: unknown;
  enter: () => Promise<void>;
  /** Gets up: camera and microphone are let go. */
  leave: () => void;
};

const PATIENT_TRIES = 15;
const BETWEEN_MS = 1_000;
/** Others behind the same address may have asked too often. */
const BETWEEN_WHEN_LIMITED_MS = 5_000;
const DEVICES_WITHIN_MS = 1_500;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The service was not there, not well or asked too often: that says nothing of the seat. */
const PASSING = ['unreachable', 'internal_error', 'service_busy', 'rate_limited'];
const codeOf = (error: unknown): string => readApiFaults(error)[0].code;
const isPassing = (error: unknown): boolean => PASSING.includes(codeOf(error));

/** Who had a seat already comes back by themselves as soon as the service does. */
async function askPatiently(isBack: boolean, ask: () => Promise<CallSeatView>): Promise<CallSeatView> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!isBack || !isPassing(error) || tries >= PATIENT_TRIES) throw error;
      await pause(codeOf(error) === 'rate_limited' ? BETWEEN_WHEN_LIMITED_MS : BETWEEN_MS);
    }
  }
}

/** This side's devices, as somebody had them before a reload: what was hidden then is hidden again. */
function openMedia(of: string): Media {
  const media = createMedia(keptSeat(of)?.hidden);
  media.subscribe(() => keepHidden(of, media.hidden()));
  return media;
}

/**
 * A seat in the call of the visit `of`, and this side's devices. A reload takes the seat again by itself; `ask` is told the
 * secret by which this tab is known there.
 */
export function useSeat(of: string, ask: (hold: string) => Promise<CallSeatView>): Seat {
  const [media, setMedia] = useState<Media | null>(null);
  const [call, setCall] = useState<Call | null>(null);
  const [isEntering, setEntering] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const latest = useRef({ ask, call, media });
  latest.current = { ask, call, media };
  /** Devices of a page that was left, or of a seat that was. */
  const gone = useRef(new WeakSet<Media>());

  const sit = useCallback(
    async (own: Media) => {
      setEntering(true);
      setError(null);
      const isBack = keptSeat(of) !== null;
      const hold = holdSeat(of, own.hidden());
      try {
        const started = own.read().stage === 'off' ? own.start().catch(() => undefined) : undefined;
        const seat = await askPatiently(isBack, () => latest.current.ask(hold));
        // Whoever overlooks the browser's question for their devices is in the room all the same, and reads of it there.
        await Promise.race([started, pause(DEVICES_WITHIN_MS)]);
        // The page was left meanwhile: nobody would ever get up from the seat.
        if (gone.current.has(own)) return;
        latest.current.call?.close();
        setCall(engine(seat, own));
      } catch (refusal) {
        if (gone.current.has(own)) return;
        const isAsked = codeOf(refusal) === 'verification_required';
        if (!isPassing(refusal) && !(isBack && isAsked)) forgetSeat();
        latest.current.call?.close();
        setCall(null);
        setError(refusal);
      } finally {
        if (!gone.current.has(own)) setEntering(false);
      }
    },
    [of],
  );

  useEffect(() => {
    const own = openMedia(of);
    const left = gone.current;
    setMedia(own);
    if (keptSeat(of)) void sit(own);
    return () => {
      latest.current.call?.close();
      latest.current.media?.close();
      if (latest.current.media) left.add(latest.current.media);
      left.add(own);
      own.close();
    };
  }, [of, sit]);

  // A seat that was lost while nobody left it (the service was away for long) is taken again once.
  useEffect(() => {
    if (!call || !media) return;
    let isTried = false;
    return call.subscribe(() => {
      // Whoever reloads the page of a visit that is over does not begin it anew.
      if (isFinal(call.read().room)) forgetSeat();
      if (!call.read().isGone || isTried) return;
      isTried = true;
      void sit(media);
    });
  }, [call, media, sit]);

  return {
    media,
    call,
    isEntering,
    error,
    enter: async () => {
      if (media) await sit(media);
    },
    leave() {
      forgetSeat();
      call?.leave();
      media?.close();
      setCall(null);
      setMedia(openMedia(of));
    },
  };
}
