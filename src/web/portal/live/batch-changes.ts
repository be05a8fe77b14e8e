import type { LiveChange } from '#contract/event-types.ts';

/** Kinds of data that other users changed, and that must be refetched. */
export type Outdated = 'patient' | 'appointment' | 'subscription' | 'message' | 'visit' | 'integration' | 'events';
export type Changes = LiveChange[] | 'all';

const ALL: Outdated[] = ['patient', 'appointment', 'subscription', 'message', 'visit', 'integration', 'events'];
/** Delay that batches related changes. */
const FIRST_MS = 100;
/** Minimum interval between refreshes under load. */
const NEXT_MS = 1_000;

export const outdatedBy = (changes: Changes): Outdated[] =>
  changes === 'all' ? ALL : ALL.filter((kind) => kind === 'events' || changes.some(({ type }) => type === kind));

/** Batches changes until a refresh is due and the page is visible. */
export function batchChanges(refresh: (outdated: Set<Outdated>) => void) {
  const pending = new Set<Outdated>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  function flush(): void {
    timer = undefined;
    // Waiting patients are announced in hidden tabs as well; everything else waits until the tab is visible.
    const isHidden = document.visibilityState === 'hidden';
    const outdated = new Set([...pending].filter((kind) => !isHidden || kind === 'visit'));
    if (outdated.size === 0) return;
    for (const kind of outdated) pending.delete(kind);
    lastAt = Date.now();
    refresh(outdated);
  }
  const onVisible = () => flush();
  document.addEventListener('visibilitychange', onVisible);
  return {
    add(changes: Changes): void {
      for (const kind of outdatedBy(changes)) pending.add(kind);
      timer ??= setTimeout(flush, Math.max(FIRST_MS, lastAt + NEXT_MS - Date.now()));
    },
    stop(): void {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    },
  };
}
