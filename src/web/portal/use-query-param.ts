'use client';
import { usePathname, useSearchParams } from 'next/navigation';
import { useCallback } from 'react';
import { plainDateOf } from '#web/ui/format-time.ts';

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

/** A day in the address, null where there is none: anybody can write an address, and what is no day filters nothing. */
export function useDayParam(name: string): [day: string | null, set: (day: string | null) => void] {
  const [value, setValue] = useQueryParam(name);
  return [plainDateOf(value), useCallback((day) => setValue(day ?? ''), [setValue])];
}

/** A provider's number in the address (of a calendar, a type of visit), null where there is none. */
export function useNumberParam(name: string): [number: number | null, set: (value: string) => void] {
  const [value, setValue] = useQueryParam(name);
  const number = Number(value);
  return [Number.isSafeInteger(number) && number > 0 ? number : null, setValue];
}
