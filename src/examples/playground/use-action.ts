'use client';
import { useState } from 'react';

/** Runs one thing at a time for a button, and keeps what went wrong. */
export function useAction() {
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  async function run(work: () => Promise<void>): Promise<void> {
    setPending(true);
    setError(null);
    try {
      await work();
    } catch (fault) {
      setError(fault);
    }
    setPending(false);
  }
  return { pending, error, run };
}
