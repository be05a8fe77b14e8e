import type { LiveChange } from '#contract/event-types.ts';

/** Kinds of data that other users changed, and that must be refetched. */
export type Outdated = 'patient' | 'appointment' | 'subscription' | 'message' | 'visit' | 'integration' | 'events';
export type Changes = LiveChange[] | 'all';

const ALL: Outdated[] = ['patient', 'appointment', 'subscription', 'message', 'visit', 'integration', 'events'];
/** Delay that batches related changes. */
const FIRST_MS = 100;
/** Minimum interval between refreshes under load. */
const NEXT_MS = 1_000;

export const outdatedBy = (news: Changes): Outdated[] =>
  news === 'all' ? ALL : ALL.filter((one) => one === 'events' || news.some(({ type }) => type === one));

/** Batches changes until a refresh is due and the page is visible. */
export function batchChanges(refresh: (outdated: Set<Outdated>) => void) {
  const gathered = new Set<Outdated>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  function flush(): void {
    timer = undefined;
    // Waiting patients are announced in hidden tabs as well; everything else waits until the tab is visible.
    const isHidden = document.visibilityState === 'hidden';
    const outdated = new Set([...gathered].filter((one) => !isHidden || one === 'visit'));
    if (outdated.size === 0) return;
    for (const one of outdated) gathered.delete(one);
    lastAt = Date.now();
    refresh(outdated);
  }
  const onVisible = () => flush();
  document.addEventListener('visibilitychange', onVisible);
  return {
    add(news: Changes): void {
      for (const one of outdatedBy(news)) gathered.add(one);
      timer ??= setTimeout(flush, Math.max(FIRST_MS, lastAt + NEXT_MS - Date.now()));
    },
    stop(): void {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    },
  };
}
