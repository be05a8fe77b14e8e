'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import type { MeView } from '#contract/settings.ts';
import { hidePage } from '#web/ui/hidden-page.ts';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { whenIdle } from '#web/ui/when-idle.ts';
import { ACT, FORBIDDEN, ownerOf, SESSION_ENDS_IN, SIGNED_OUT, statusOf, useTRPCClient } from '../../trpc-client.tsx';
import { useMe } from '../me.tsx';
import { listenToTabs, notifyTabs } from '../sign-in/session-news.ts';
import { type Asking, createSessionLock, type SessionLock } from './session-lock.ts';

const SECOND_MS = 1000;
const WARN_BEFORE_MS = 120 * SECOND_MS;
/** Minimum interval of heartbeats while the user is active. */
const HEARTBEAT_MS = 60 * SECOND_MS;
/** Events that only a user causes; a page that fetches or scrolls automatically causes none of them. */
const ACTIVITY_EVENTS = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const;

/** What decides on the parts that pages show. */
const rightsOf = ({ user, permissions, two_step_due, has_appointments }: MeView): string =>
  [user.role, two_step_due, has_appointments, ...permissions].join(' ');

/** Hides the page without a session; `asking` says where the user signs in again. */
function useSessionLock(): { lock: SessionLock; asking: Asking | null } {
  const me = useMe();
  const queries = useQueryClient();
  const router = useRouter();
  const [asking, setAsking] = useState<Asking | null>(null);
  const shownRights = useRef('');
  useEffect(() => {
    shownRights.current = rightsOf(me);
  }, [me]);
  const owner = ownerOf(me);
  const [lock] = useState(() =>
    createSessionLock({
      owner,
      queries,
      onAsk: setAsking,
      onUnlocked: (now) => rightsOf(now) !== shownRights.current && router.refresh(),
    }),
  );
  const [firstOwner] = useState(owner);
  // A refresh of the page met the session of another user.
  useLayoutEffect(() => {
    if (owner !== firstOwner) lock.leave('/');
  }, [lock, owner, firstOwner]);

  useEffect(() => {
    const check = () => void lock.check();
    // A session may have ended, or begun, while there was no connection.
    const onOnline = () => lock.isLocked() && check();
    // A page from the back/forward cache may be older than its session.
    const onHide = ({ persisted }: PageTransitionEvent) => persisted && hidePage();
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && check();
    const stopListening = listenToTabs((news) => {
      if (news === 'signed_in') check();
      else if (news === 'ended') lock.lock();
      // Not back to this page: another person may sign in.
      else if (news === 'signed_out') lock.leave('/sign-in');
    });
    window.addEventListener(SIGNED_OUT, lock.lock);
    window.addEventListener('online', onOnline);
    window.addEventListener('pagehide', onHide);
    window.addEventListener('pageshow', onShow);
    return () => {
      stopListening();
      window.removeEventListener(SIGNED_OUT, lock.lock);
      window.removeEventListener('online', onOnline);
      window.removeEventListener('pagehide', onHide);
      window.removeEventListener('pageshow', onShow);
    };
  }, [lock]);
  return { lock, asking };
}

type SessionEnd = {
  /** In epoch milliseconds; null while it is far away. */
  endsAt: number | null;
  /**
   * Extends the session.
   * @returns true when the session lasts longer than the warning
   */
  stay: () => Promise<boolean>;
};

/** Extends the session on user activity, reports when it is about to end, and locks the page when it has ended. */
function useSessionEnd({ lock, isLocked: isAway }: SessionLock): SessionEnd {
  const queries = useQueryClient();
  const client = useTRPCClient();
  const [endsAt, setEndsAt] = useState<number | null>(null);
  const [isEnding, setEnding] = useState(false);
  const lastHeartbeatAt = useRef(0);
  /** How long a session lasts without activity. */
  const idleMs = useRef(0);

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
    } catch (error) {
      // The server decides when it is back; until then the page counts for a user who goes on typing.
      if (statusOf(error) === undefined && idleMs.current > 0) setEndsAt(Date.now() + idleMs.current);
      throw error;
    } finally {
      window.removeEventListener(SESSION_ENDS_IN, note);
    }
    idleMs.current = Math.max(idleMs.current, remainingMs);
    notifyTabs({ endsAt: Date.now() + remainingMs });
    return remainingMs > WARN_BEFORE_MS;
  }, [fetchSession]);

  useEffect(() => {
    const note = (event: Event) => setEndsAt(Date.now() + (event as CustomEvent<number>).detail * SECOND_MS);
    window.addEventListener(SESSION_ENDS_IN, note);
    const stopListening = listenToTabs((news) => typeof news === 'object' && setEndsAt(news.endsAt));
    return () => {
      window.removeEventListener(SESSION_ENDS_IN, note);
      stopListening();
    };
  }, []);

  useEffect(() => {
    // The warning asks the user from then on.
    if (isEnding) return;
    const act = ({ isTrusted }: Event) => {
      if (!isTrusted || isAway() || Date.now() - lastHeartbeatAt.current < HEARTBEAT_MS) return;
      // A heartbeat that failed is sent with the next activity; until then the time runs on and the warning appears.
      stay().catch(() => {});
    };
    for (const name of ACTIVITY_EVENTS) window.addEventListener(name, act, { capture: true, passive: true });
    return () => {
      for (const name of ACTIVITY_EVENTS) window.removeEventListener(name, act, { capture: true });
    };
  }, [isEnding, stay, isAway]);

  useEffect(() => {
    const check = () => void (!isAway() && fetchSession({}).catch(() => {}));
    // A refused call may be the first sign of a changed role.
    window.addEventListener(FORBIDDEN, check);
    // The session may have ended while there was no connection.
    window.addEventListener('online', check);
    return () => {
      window.removeEventListener(FORBIDDEN, check);
      window.removeEventListener('online', check);
    };
  }, [fetchSession, isAway]);

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
      setEnding(remainingMs > 0 && remainingMs <= WARN_BEFORE_MS);
      // The server decides, because another tab may have extended the session; if it cannot be reached, the session is
      // over.
      if (remainingMs <= 0) lock();
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
  }, [endsAt, lock]);

  return { endsAt: isEnding ? endsAt : null, stay };
}

const loadSignInAgain = () => import('./sign-in-again.tsx').then((module) => module.SignInAgain);
const SignInAgain = lazyComponent(loadSignInAgain);
const SessionWarning = lazyComponent(() => import('./session-warning.tsx').then((module) => module.SessionWarning));

/** Warns on every page before the session ends, and asks the user to sign in again when it has; input is not lost. */
export function SessionWatch() {
  const { email } = useMe().user;
  const { lock, asking } = useSessionLock();
  const { endsAt, stay } = useSessionEnd(lock);
  // Needed without a connection, too.
  useEffect(() => whenIdle(loadSignInAgain), []);
  return (
    <>
      {endsAt !== null && <SessionWarning endsAt={endsAt} stay={stay} />}
      {asking &&
        createPortal(
          <SignInAgain
            email={email}
            isKnown={asking.isKnown}
            onSignedIn={() => void lock.check()}
            onOther={() => lock.leave('/sign-in')}
          />,
          asking.container,
        )}
    </>
  );
}
