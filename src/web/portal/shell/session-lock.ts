import { focusManager, type QueryClient } from '@tanstack/react-query';
import type { MeView } from '#contract/settings.ts';
import { hidePage, leaveHidden, showPage } from '#web/ui/hidden-page.ts';
import { ownerOf, SESSION_ENDS_IN, SIGNED_IN_AGAIN } from '../../trpc-client.tsx';
import { notifyTabs } from '../sign-in/session-news.ts';

/**
 * Returns the user whose session this browser has; null without a session. Asks for no certain user, as the calls of a
 * page do.
 * @throws without a response
 */
export async function readSession(): Promise<MeView | null> {
  const response = await fetch('/api/trpc/session.me?input=%7B%7D', { cache: 'no-store' });
  if (response.status === 401) return null;
  if (!response.ok) throw new Error(`session.me responded ${response.status}`);
  const { result } = (await response.json()) as { result: { data: MeView } };
  const detail = Number(response.headers.get('x-carelane-session-ends-in'));
  window.dispatchEvent(new CustomEvent(SESSION_ENDS_IN, { detail }));
  return result.data;
}

type LockOptions = {
  /** The user that the page was made for. */
  owner: string;
  queries: QueryClient;
  /** Shows the sign-in in the element; null removes it. */
  onAsk: (container: HTMLElement | null) => void;
  /** The page is shown again. */
  onUnlocked: (me: MeView) => void;
  read?: () => Promise<MeView | null>;
  page?: { hide: () => HTMLElement; show: () => void; leave: (address: string) => void };
};

export type SessionLock = ReturnType<typeof createSessionLock>;

const PAGE = { hide: hidePage, show: showPage, leave: leaveHidden };

/** Hides a page as soon as its session may be over, and shows it again only to the user that it was made for. */
export function createSessionLock(options: LockOptions) {
  const { owner, queries, onAsk, onUnlocked, read = readSession, page = PAGE } = options;
  let state: 'open' | 'locked' | 'left' = 'open';
  let checking: Promise<void> | null = null;
  let isDue = false;

  function leave(address: string): void {
    state = 'left';
    onAsk(null);
    page.leave(address);
    queries.clear();
  }

  async function decide(container: HTMLElement): Promise<void> {
    // Undefined: no response, so the session is not known.
    const now = await read().catch(() => undefined);
    if (state === 'left') return;
    if (!now) {
      onAsk(container);
      if (now === null) notifyTabs('ended');
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
    const container = page.hide();
    isDue = true;
    checking ??= (async () => {
      while (isDue) {
        isDue = false;
        await decide(container);
      }
    })().finally(() => {
      checking = null;
    });
    await checking;
  }

  return {
    check,
    /** Checks unless the page is hidden already. */
    lock: (): void => void (state === 'open' && check()),
    isLocked: () => state !== 'open',
    /** Leaves the page to another user, or to no one. */
    leave,
  };
}
