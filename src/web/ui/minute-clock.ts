const MINUTE_MS = 60_000;
/** Upper bound of a wait: a timer that a sleeping computer stopped continues where it was, and would be late. */
const MAX_WAIT_MS = 10_000;

/** The time in epoch milliseconds, without the seconds. */
export function currentMinute(): number {
  const now = Date.now();
  return now - (now % MINUTE_MS);
}

/** A clock that notifies its subscribers at each full minute, by one timer, which runs while there are any. */
export function createMinuteClock() {
  const subscribers = new Set<() => void>();
  let notifiedMinute = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let listening: AbortController | undefined;

  const check = () => {
    clearTimeout(timer);
    const minute = currentMinute();
    timer = setTimeout(check, Math.min(minute + MINUTE_MS - Date.now(), MAX_WAIT_MS));
    if (minute === notifiedMinute) return;
    notifiedMinute = minute;
    for (const notify of subscribers) notify();
  };

  const start = () => {
    listening = new AbortController();
    const { signal } = listening;
    // Browsers slow down or stop the timers of a hidden page.
    document.addEventListener('visibilitychange', check, { signal });
    window.addEventListener('pageshow', check, { signal });
    window.addEventListener('focus', check, { signal });
    notifiedMinute = currentMinute();
    check();
  };

  const stop = () => {
    clearTimeout(timer);
    listening?.abort();
  };

  return {
    /** @returns a function that ends the subscription */
    subscribe(notify: () => void): () => void {
      subscribers.add(notify);
      if (subscribers.size === 1) start();
      return () => {
        if (subscribers.delete(notify) && subscribers.size === 0) stop();
      };
    },
  };
}
