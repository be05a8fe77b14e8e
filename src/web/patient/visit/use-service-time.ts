'use client';
import { useEffect, useState } from 'react';

const TICK_MS = 1000;

/** The present (ms) by the service's clock, told once and counted on from there: the reader's own may be wrong. */
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
