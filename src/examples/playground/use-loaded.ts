'use client';
import { useCallback, useEffect, useState } from 'react';

type Load<Result> = () => Promise<Result>;
type Loaded<Result> = { of: Load<Result> | null; data: Result | null; error: unknown };

const NOTHING = { of: null, data: null, error: null };

/**
 * Returns the result of `load`; loads again when `load` changes or on `reload`. Results of an earlier `load` are
 * ignored.
 */
export function useLoaded<Result>(load: Load<Result>) {
  const [loaded, setLoaded] = useState<Loaded<Result>>(NOTHING);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round loads again
  useEffect(() => {
    let isActive = true;
    load().then(
      (data) => isActive && setLoaded({ of: load, data, error: null }),
      (error) => isActive && setLoaded({ of: load, data: null, error }),
    );
    return () => {
      isActive = false;
    };
  }, [load, round]);
  const reload = useCallback(() => {
    setLoaded(NOTHING);
    setRound((before) => before + 1);
  }, []);
  const set = useCallback((data: Result) => setLoaded({ of: load, data, error: null }), [load]);
  const { data, error } = loaded.of === load ? loaded : (NOTHING as Loaded<Result>);
  return { data, error, reload, set };
}
