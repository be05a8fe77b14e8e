'use client';
import { usePathname, useSearchParams } from 'next/navigation';
import { useCallback } from 'react';

/** A piece of page state that lives in the address, so that "back" and a shared link bring it back. Empty is absent. */
export function useQueryParam(name: string): [value: string, set: (value: string) => void] {
  const params = useSearchParams();
  const pathname = usePathname();
  const set = useCallback(
    (value: string) => {
      const next = new URLSearchParams(window.location.search);
      if (value) next.set(name, value);
      else next.delete(name);
      window.history.replaceState(null, '', next.size > 0 ? `${pathname}?${next}` : pathname);
    },
    [name, pathname],
  );
  return [params.get(name) ?? '', set];
}
