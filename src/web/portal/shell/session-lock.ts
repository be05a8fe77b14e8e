import { focusManager, type QueryClient } from '@tanstack/react-query';
import type { MeView } from '#contract/settings.ts';
import { hidePage, leaveHidden, showPage } from '#web/ui/hidden-page.ts';
import { reportNoResponse } from '#web/ui/reach-server.ts';
import { ownerOf, SESSION_ENDS_IN, SIGNED_IN_AGAIN } from '../../trpc-client.tsx';
import { notifyTabs } from '../sign-in/session-news.ts';

const READ_TIMEOUT_MS = 10_000;

/**
 * Returns the user whose session this browser has; null without a session. Asks for no certain user, as the calls of a
 * page do.
 * @throws without a response
 */
export async function readSession(): Promise<MeView | null> {
  const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
  const response = await fetch('/api/trpc/session.me?input=%7B%7D', { cache: 'no-store', signal });
  if (response.status === 401) return null;
  if (!response.ok) throw new Error(`session.me responded ${response.status}`);
  const { result } = (await response.json()) as { result: { data: MeView } };
  const detail = Number(response.headers.get('x-carelane-session-ends-in'));
  window.dispatchEvent(new CustomEvent(SESSION_ENDS_IN, { detail }));
  return result.data;
}

export type Asking = { container: HTMLElement; isKnown: boolean };

type LockOptions = {
  /** The user of the page. */
  owner: string;
  queries: QueryClient;
  /** Shows the sign-in in the element, which says whether the session is known to be over; null removes it. */
  onAsk: (asking: Asking | null) => void;
  /** The page is shown again. */
  onUnlocked: (me: MeView) => void;
  read?: () => Promise<MeView | null>;
  page?: { hide: () => HTMLElement; show: () => void; leave: (address: string) => void };
};

export type SessionLock = ReturnType<typeof createSessionLock>;

/** How soon the session is asked for again when there was no response. */
const RETRY_MS = 3_000;

const PAGE = { hide: hidePage, show: showPage, leave: leaveHidden };

/** Hides a page as soon as its session may be over, and shows it again only to its own user. */
export function createSessionLock(options: LockOptions) {
  const { owner, queries, onAsk, onUnlocked, read = readSession, page = PAGE } = options;
  let state: 'open' | 'locked' | 'left' = 'open';
  let checking: Promise<void> | null = null;
  let isDue = false;
  let container: HTMLElement | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function leave(address: string): void {
    state = 'left';
    clearTimeout(timer);
    onAsk(null);
    page.leave(address);
    queries.clear();
  }

  /** `now` is undefined without a response: the session is not known. */
  function decide(now: MeView | null | undefined): void {
    if (!now) {
      if (container) onAsk({ container, isKnown: now === null });
      if (now === null) notifyTabs('ended');
      else {
        reportNoResponse();
        timer = setTimeout(check, RETRY_MS);
      }
    } else if (ownerOf(now) !== owner) leave('/');
    else {
      state = 'open';
      onAsk(null);
      page.show();
      focusManager.setFocused(undefined);
      window.dispatchEvent(new Event(SIGNED_IN_AGAIN));
      void queries.refetchQueries({ type: 'active', predicate: (query) => query.isStale() });
      onUnlocked(now);
    }
  }

  /** Hides the page and asks the server whose session this is; once more, if that is asked while it is asked already. */
  async function check(): Promise<void> {
    if (state === 'left') return;
    state = 'locked';
    // Nothing is polled while the page is hidden.
    focusManager.setFocused(false);
    container = page.hide();
    isDue = true;
    checking ??= askUntilDone();
    await checking;
  }

  async function askUntilDone(): Promise<void> {
    while (isDue) {
      isDue = false;
      clearTimeout(timer);
      const now = await read().catch(() => undefined);
      // Only the latest response counts.
      if (!isDue && state === 'locked') decide(now);
    }
    checking = null;
  }

  return {
    check,
    /** Checks unless the page is hidden already; also when a check under way may still find the session. */
    lock: (): void => void ((state === 'open' || checking) && check()),
    isLocked: () => state !== 'open',
    /** Leaves the page to another user, or to no one. */
    leave,
  };
}
