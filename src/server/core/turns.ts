/**
 * Runs work by key: one at a time per key, and `concurrency` keys concurrently. A key that is nudged while it runs gets one
 * more turn afterwards, which handles everything that arrived in between.
 */
export function createTurns({
  concurrency,
  run,
  onError,
}: {
  concurrency: number;
  run: (key: string) => Promise<void>;
  onError: (key: string, error: Error) => void;
}) {
  const due = new Set<string>();
  const running = new Map<string, Promise<void>>();

  function pump(): void {
    for (const key of due) {
      if (running.size >= concurrency) return;
      if (running.has(key)) continue;
      due.delete(key);
      const work = run(key)
        .catch((error: Error) => onError(key, error))
        .finally(() => {
          running.delete(key);
          pump();
        });
      running.set(key, work);
    }
  }

  return {
    nudge(key: string): void {
      due.add(key);
      pump();
    },
    /** Resolves when no turn is running or due. */
    async idle(): Promise<void> {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}
