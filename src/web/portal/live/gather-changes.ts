import type { LiveChange } from '#contract/event-types.ts';

/** What others have changed: lists and records of this kind have to be asked for again. */
export type Outdated = 'patient' | 'appointment' | 'subscription' | 'message' | 'visit' | 'integration' | 'events';
export type News = LiveChange[] | 'all';

const ALL: Outdated[] = ['patient', 'appointment', 'subscription', 'message', 'visit', 'integration', 'events'];
/** Several changes that belong together come one right after the other. */
const FIRST_MS = 100;
/** Where much happens, a page asks no more often. */
const NEXT_MS = 1_000;

export const outdatedBy = (news: News): Outdated[] =>
  news === 'all' ? ALL : ALL.filter((one) => one === 'events' || news.some(({ type }) => type === one));

/** Gathers what comes until it is worth asking, and somebody looks. */
export function gatherChanges(refresh: (outdated: Set<Outdated>) => void) {
  const gathered = new Set<Outdated>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  function flush(): void {
    timer = undefined;
    // Who waits is called for while nobody looks; all else can wait until somebody does.
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
    add(news: News): void {
      for (const one of outdatedBy(news)) gathered.add(one);
      timer ??= setTimeout(flush, Math.max(FIRST_MS, lastAt + NEXT_MS - Date.now()));
    },
    stop(): void {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    },
  };
}
