'use client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { firstErrorMessage } from './api-errors.ts';
import { retryUntilKnown } from './retry-until-known.ts';
import { toast } from './toast.ts';

/**
 * Runs calls whose outcome may be unknown for a while (see `untilKnown`), with the status text. It continues after the
 * dialog is closed; an error is then shown as a toast.
 */
export function useOutcomeTracker() {
  const [checking, setChecking] = useState<string | null>(null);
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const follow = useCallback(async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await retryUntilKnown(call, { onChecking: (words) => isOpen.current && setChecking(words) });
    } catch (error) {
      if (!isOpen.current) toast.error('This did not work', { description: firstErrorMessage(error) });
      throw error;
    }
  }, []);
  return { checking, follow };
}
