'use client';
import { useEffect, useState } from 'react';

const TICK_MS = 1000;

/** The current time in milliseconds by the server's clock, because the reader's clock may be wrong. */
export function useServiceTime(told: string): number {
  const [now, setNow] = useState(() => Date.parse(told));
  useEffect(() => {
    const ahead = Date.parse(told) - Date.now();
    const tick = () => setNow(Date.now() + ahead);
    tick();
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, [told]);
  return now;
}
