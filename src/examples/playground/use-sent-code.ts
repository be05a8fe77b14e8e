'use client';
import { useEffect, useState } from 'react';

/** A code can be requested every 30 seconds at most, and is sent immediately. */
const SINCE_MS = 20_000;
/** After a reload, the code may have been sent earlier. */
const SINCE_RELOAD_MS = 600_000;
const OFTEN_MS = 1000;
const SELDOM_MS = 3000;

export type SentCode = { is: 'awaited' } | { is: 'here'; code: string; kind: 'email' | 'sms' } | { is: 'elsewhere' };

/**
 * Polls for the newest code that the sandbox sent to an address.
 * @param isReload whether the page was opened on this screen
 */
export function useSentCode(to: string, isReload: boolean): SentCode {
  const [sent, setSent] = useState<SentCode>({ is: 'awaited' });
  useEffect(() => {
    const after = new Date(Date.now() - (isReload ? SINCE_RELOAD_MS : SINCE_MS)).toISOString();
    let timer: ReturnType<typeof setTimeout>;
    let isWanted = true;
    const look = async () => {
      const response = await askFor(to, after);
      if (!isWanted) return;
      if (response) setSent(response);
      if (response?.is !== 'elsewhere') timer = setTimeout(look, response?.is === 'here' ? SELDOM_MS : OFTEN_MS);
    };
    void look();
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [to, isReload]);
  return sent;
}

/** Returns null when there is no code yet, or after an error. */
async function askFor(to: string, after: string): Promise<SentCode | null> {
  try {
    const response = await fetch('/api/sandbox/codes', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ to, after }),
    });
    if (response.status === 404) return { is: 'elsewhere' };
    const [newest] = response.ok ? (await response.json()).items : [];
    return newest ? { is: 'here', code: newest.code, kind: newest.kind } : null;
  } catch {
    return null;
  }
}
