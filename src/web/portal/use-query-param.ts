'use client';
import { usePathname, useSearchParams } from 'next/navigation';
import { useCallback } from 'react';
import { plainDateOf } from '#web/ui/format-time.ts';

/** Page state in the URL, which survives "back" and shared links. An empty value removes the parameter. */
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

/** A day in the URL; null where absent or invalid: URLs are user input, and an invalid day filters nothing. */
export function useDayParam(name: string): [day: string | null, set: (day: string | null) => void] {
  const [value, setValue] = useQueryParam(name);
  return [plainDateOf(value), useCallback((day) => setValue(day ?? ''), [setValue])];
}

/** A provider's numeric id in the URL (of a calendar, an appointment type); null where absent. */
export function useNumberParam(name: string): [number: number | null, set: (value: string) => void] {
  const [value, setValue] = useQueryParam(name);
  const number = Number(value);
  return [Number.isSafeInteger(number) && number > 0 ? number : null, setValue];
}
