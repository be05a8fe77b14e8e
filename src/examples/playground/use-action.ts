'use client';
import { useState } from 'react';

/** Runs one action at a time for a button, and holds its error. */
export function useAction() {
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  async function run(work: () => Promise<void>): Promise<void> {
    setPending(true);
    setError(null);
    try {
      await work();
    } catch (error) {
      setError(error);
    }
    setPending(false);
  }
  return { pending, error, run };
}
