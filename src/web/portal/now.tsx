'use client';
import { createContext, type ReactNode, useContext, useSyncExternalStore } from 'react';
import { localDate } from '#web/ui/format-time.ts';
import { createMinuteClock, currentMinute } from '#web/ui/minute-clock.ts';

const clock = createMinuteClock();

const RenderedAt = createContext<number | null>(null);

/** Gives the page the minute in which the server rendered it: the browser's first render must match the server's. */
export function NowProvider({ renderedAt, children }: { renderedAt: number; children: ReactNode }) {
  return <RenderedAt value={renderedAt}>{children}</RenderedAt>;
}

/** The time in epoch milliseconds, without the seconds; updates at each full minute. */
export function useNow(): number {
  const renderedAt = useContext(RenderedAt);
  return useSyncExternalStore(clock.subscribe, currentMinute, () => renderedAt ?? currentMinute());
}

/** The current day in a time zone as YYYY-MM-DD; a new one begins at midnight there. */
export const useDayIn = (timeZone: string): string => localDate(new Date(useNow()), timeZone);
