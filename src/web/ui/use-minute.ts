'use client';
import { useEffect, useState } from 'react';

const A_MINUTE_MS = 60_000;

/** The time in milliseconds, anew each minute: what was to come is over, and a new day begins. */
export function useMinute(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), A_MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
