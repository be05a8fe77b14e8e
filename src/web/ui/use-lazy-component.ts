import { type ComponentType, useEffect, useState } from 'react';
import { reportNoResponse } from './reach-server.ts';

/**
 * Loads a component on first use; null until it has loaded. Not `dynamic`: React delays content that suspended by up to
 * 300 ms, even when it has loaded already. `load` must be a stable reference.
 */
export function useLazyComponent<Props>(
  load: () => Promise<ComponentType<Props>>,
  isWanted: boolean,
  onFailed: () => void,
): ComponentType<Props> | null {
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null);
  const isMissing = isWanted && !Loaded;
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads once each time that it is wanted and missing
  useEffect(() => {
    if (!isMissing) return;
    let isMounted = true;
    load().then(
      (loaded) => isMounted && setLoaded(() => loaded),
      () => {
        reportNoResponse();
        if (isMounted) onFailed();
      },
    );
    return () => {
      isMounted = false;
    };
  }, [load, isMissing]);
  return Loaded;
}
