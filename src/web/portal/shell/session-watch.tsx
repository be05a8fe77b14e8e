'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { MeView } from '#contract/settings.ts';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { ACT, FORBIDDEN, leaveForSignIn, SESSION_ENDS_IN, useTRPCClient } from '../../trpc-client.tsx';
import { useMe } from '../me.tsx';
import { listenToTabs, notifyTabs } from './session.ts';

const SECOND_MS = 1000;
const WARN_BEFORE_MS = 120 * SECOND_MS;
/** Minimum interval of heartbeats while the user is active. */
const HEARTBEAT_MS = 60 * SECOND_MS;
/** Events that only a user causes; a page that fetches or scrolls automatically causes none of them. */
const ACTIVITY_EVENTS = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const;

const rightsOf = ({ user, permissions, two_step_due }: MeView): string =>
  [user.role, two_step_due, ...permissions].join(' ');

type SessionEnd = {
  /** In epoch milliseconds; null while it is far away. */
  endsAt: number | null;
  /**
   * Extends the session.
   * @returns true when the session lasts longer than the warning
   */
  stay: () => Promise<boolean>;
};

/** Extends the session on user activity, reports when it is about to end, and leaves the portal when it has ended. */
function useSessionEnd(): SessionEnd {
  const queries = useQueryClient();
  const client = useTRPCClient();
  const [endsAt, setEndsAt] = useState<number | null>(null);
  const [isEnding, setEnding] = useState(false);
  const lastHeartbeatAt = useRef(0);

  const me = useMe();
  const router = useRouter();

  /** Uses the query client, so that a "signed out" response is handled as for all queries. */
  const fetchSession = useCallback(
    (context: { act?: true }) =>
      queries.fetchQuery({
        queryKey: ['session', 'end'],
        queryFn: async () => {
          const now = await client.session.me.query(undefined, { context });
          // The role or its permissions were changed: the pages show what holds now.
          if (rightsOf(now) !== rightsOf(me)) router.refresh();
          return now;
        },
        staleTime: 0,
        gcTime: 0,
      }),
    [queries, client, me, router],
  );

  const stay = useCallback(async () => {
    lastHeartbeatAt.current = Date.now();
    let remainingMs = 0;
    const note = (event: Event) => {
      remainingMs = (event as CustomEvent<number>).detail * SECOND_MS;
    };
    window.addEventListener(SESSION_ENDS_IN, note);
    try {
      await fetchSession(ACT);
    } finally {
      window.removeEventListener(SESSION_ENDS_IN, note);
    }
    notifyTabs({ endsAt: Date.now() + remainingMs });
    return remainingMs > WARN_BEFORE_MS;
  }, [fetchSession]);

  useEffect(() => {
    const note = (event: Event) => setEndsAt(Date.now() + (event as CustomEvent<number>).detail * SECOND_MS);
    window.addEventListener(SESSION_ENDS_IN, note);
    const stopListening = listenToTabs((news) => {
      if (news === 'signed_out') leaveForSignIn();
      else setEndsAt(news.endsAt);
    });
    return () => {
      window.removeEventListener(SESSION_ENDS_IN, note);
      stopListening();
    };
  }, []);

  useEffect(() => {
    // The warning asks the user from then on.
    if (isEnding) return;
    const act = ({ isTrusted }: Event) => {
      if (!isTrusted || Date.now() - lastHeartbeatAt.current < HEARTBEAT_MS) return;
      // A heartbeat that failed is sent with the next activity; until then the time runs on and the warning appears.
      stay().catch(() => {});
    };
    for (const name of ACTIVITY_EVENTS) window.addEventListener(name, act, { capture: true, passive: true });
    return () => {
      for (const name of ACTIVITY_EVENTS) window.removeEventListener(name, act, { capture: true });
    };
  }, [isEnding, stay]);

  // A refused call may be the first sign of a changed role.
  useEffect(() => {
    const check = () => void fetchSession({}).catch(() => {});
    window.addEventListener(FORBIDDEN, check);
    return () => window.removeEventListener(FORBIDDEN, check);
  }, [fetchSession]);

  // Opening a page counts as activity.
  useEffect(() => {
    if (lastHeartbeatAt.current === 0) stay().catch(() => {});
  }, [stay]);

  useEffect(() => {
    if (endsAt === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const check = () => {
      clearTimeout(timer);
      const remainingMs = endsAt - Date.now();
      setEnding(remainingMs <= WARN_BEFORE_MS);
      // The server decides, because another tab may have extended the session; if it cannot be reached, the session is
      // over.
      if (remainingMs <= 0) fetchSession({}).catch(leaveForSignIn);
      else timer = setTimeout(check, remainingMs > WARN_BEFORE_MS ? remainingMs - WARN_BEFORE_MS : remainingMs);
    };
    // A page that was suspended, or restored from the back/forward cache, has missed its timer.
    const onVisible = () => document.visibilityState === 'visible' && check();
    check();
    document.addEventListener('visibilitychange', onVisible);
    window.addEventListener('pageshow', onVisible);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
      window.removeEventListener('pageshow', onVisible);
    };
  }, [endsAt, fetchSession]);

  return { endsAt: isEnding ? endsAt : null, stay };
}

const SessionWarning = lazyComponent(() => import('./session-warning.tsx').then((module) => module.SessionWarning));

/** Warns on every page before the session ends; input on the page is not lost. */
export function SessionWatch() {
  const { endsAt, stay } = useSessionEnd();
  return endsAt !== null && <SessionWarning endsAt={endsAt} stay={stay} />;
}
