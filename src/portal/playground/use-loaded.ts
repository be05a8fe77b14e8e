'use client';
import { useCallback, useEffect, useState } from 'react';

type Loaded<Result> = { data: Result | null; error: unknown };

/** What `load` gives; again when `load` is another function or when asked to. Answers that came too late are dropped. */
export function useLoaded<Result>(load: () => Promise<Result>) {
  const [{ data, error }, setLoaded] = useState<Loaded<Result>>({ data: null, error: null });
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round is what reloads
  useEffect(() => {
    let isWanted = true;
    load().then(
      (data) => isWanted && setLoaded({ data, error: null }),
      (error) => isWanted && setLoaded({ data: null, error }),
    );
    return () => {
      isWanted = false;
    };
  }, [load, round]);
  const reload = useCallback(() => {
    setLoaded({ data: null, error: null });
    setRound((before) => before + 1);
  }, []);
  const set = useCallback((data: Result) => setLoaded({ data, error: null }), []);
  return { data, error, reload, set };
}
