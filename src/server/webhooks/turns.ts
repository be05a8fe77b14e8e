/**
 * Work by key, one at a time for each and so many keys abreast. Whoever is nudged while it is their turn has another after
 * it: what comes meanwhile is dealt with together.
 */
export function createTurns({
  abreast,
  take,
  onError,
}: {
  abreast: number;
  take: (key: string) => Promise<void>;
  onError: (key: string, error: Error) => void;
}) {
  const due = new Set<string>();
  const running = new Map<string, Promise<void>>();

  function pump(): void {
    for (const key of due) {
      if (running.size >= abreast) return;
      if (running.has(key)) continue;
      due.delete(key);
      const work = take(key)
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
    /** Resolves when nobody has a turn or is due one. */
    async idle(): Promise<void> {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}
