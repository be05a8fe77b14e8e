'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ACT, leaveForSignIn, SESSION_ENDS_IN, useTRPCClient } from '../../trpc-client.tsx';
import { hearTabs, tellTabs } from './session-channel.ts';

const SECOND_MS = 1000;
const WARN_BEFORE_MS = 120 * SECOND_MS;
/** Somebody who goes on typing tells the server no more often. */
const TELL_EVERY_MS = 60 * SECOND_MS;
/** What only a person makes; a page that fetches or scrolls by itself makes none of them. */
const ACTS = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const;

export type SessionEnd = {
  /** In the words of Date.now(); null while it is far. */
  endsAt: number | null;
  /** Says that somebody is there. @returns whether the session goes on for longer than the warning */
  stay: () => Promise<boolean>;
};

/** Keeps the session alive while somebody does something here, knows when it is about to end, and leaves when it has. */
export function useSessionEnd(): SessionEnd {
  const queries = useQueryClient();
  const client = useTRPCClient();
  const [endsAt, setEndsAt] = useState<number | null>(null);
  const [isNear, setNear] = useState(false);
  const toldAt = useRef(0);

  /** Through the queries, so that an answer of "signed out" leads where all of them lead. */
  const ask = useCallback(
    (context: { act?: true }) =>
      queries.fetchQuery({
        queryKey: ['session', 'end'],
        queryFn: () => client.session.me.query(undefined, { context }),
        staleTime: 0,
        gcTime: 0,
      }),
    [queries, client],
  );

  const stay = useCallback(async () => {
    toldAt.current = Date.now();
    let left = 0;
    const note = (event: Event) => {
      left = (event as CustomEvent<number>).detail * SECOND_MS;
    };
    window.addEventListener(SESSION_ENDS_IN, note);
    try {
      await ask(ACT);
    } finally {
      window.removeEventListener(SESSION_ENDS_IN, note);
    }
    tellTabs({ endsAt: Date.now() + left });
    return left > WARN_BEFORE_MS;
  }, [ask]);

  useEffect(() => {
    const note = (event: Event) => setEndsAt(Date.now() + (event as CustomEvent<number>).detail * SECOND_MS);
    window.addEventListener(SESSION_ENDS_IN, note);
    const deaf = hearTabs((news) => {
      if (news === 'signed_out') leaveForSignIn();
      else setEndsAt(news.endsAt);
    });
    return () => {
      window.removeEventListener(SESSION_ENDS_IN, note);
      deaf();
    };
  }, []);

  useEffect(() => {
    // Once the warning is shown, it asks.
    if (isNear) return;
    const act = ({ isTrusted }: Event) => {
      if (!isTrusted || Date.now() - toldAt.current < TELL_EVERY_MS) return;
      // What it could not be told now, the next act tells; until then the time runs on and the warning comes.
      stay().catch(() => {});
    };
    for (const name of ACTS) window.addEventListener(name, act, { capture: true, passive: true });
    return () => {
      for (const name of ACTS) window.removeEventListener(name, act, { capture: true });
    };
  }, [isNear, stay]);

  // Whoever opens a page is there.
  useEffect(() => {
    if (toldAt.current === 0) stay().catch(() => {});
  }, [stay]);

  useEffect(() => {
    if (endsAt === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      const left = endsAt - Date.now();
      setNear(left <= WARN_BEFORE_MS);
      // The server knows better, for another tab may have gone on; what it cannot be asked is over.
      if (left <= 0) ask({}).catch(leaveForSignIn);
      else timer = setTimeout(look, left > WARN_BEFORE_MS ? left - WARN_BEFORE_MS : left);
    };
    // A page that slept, or comes back from the browser's memory, has missed its time.
    const wake = () => document.visibilityState === 'visible' && look();
    look();
    document.addEventListener('visibilitychange', wake);
    window.addEventListener('pageshow', wake);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', wake);
      window.removeEventListener('pageshow', wake);
    };
  }, [endsAt, ask]);

  return { endsAt: isNear ? endsAt : null, stay };
}
