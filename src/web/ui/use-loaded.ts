import { type ComponentType, useEffect, useState } from 'react';

/**
 * A component that loads when it is first wanted, or has loaded before: null until then. Not by `dynamic`, for React holds
 * back by 300 ms what it once waited for, though it be loaded already. `load` stands outside of the component.
 */
export function useLoaded<Props>(
  load: () => Promise<ComponentType<Props>>,
  isWanted: boolean,
  onFailed: () => void,
): ComponentType<Props> | null {
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null);
  const isMissing = isWanted && !Loaded;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for once each time that it is wanted and missing
  useEffect(() => {
    if (!isMissing) return;
    let isHere = true;
    load().then(
      (loaded) => isHere && setLoaded(() => loaded),
      () => isHere && onFailed(),
    );
    return () => {
      isHere = false;
    };
  }, [load, isMissing]);
  return Loaded;
}
