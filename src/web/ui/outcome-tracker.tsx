'use client';
import { LoaderCircle } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { firstErrorMessage } from './api-errors.ts';
import { retryUntilKnown } from './retry-until-known.ts';
import { toast } from './toast.ts';

/**
 * Runs calls whose outcome may be unknown for a while (see `retryUntilKnown`), with the status text. It continues after
 * the dialog is closed; an error is then shown as a toast.
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
  const follow = useCallback(async <Result,>(call: () => Promise<Result>): Promise<Result> => {
    try {
      return await retryUntilKnown(call, { onChecking: (message) => isOpen.current && setChecking(message) });
    } catch (error) {
      if (!isOpen.current) toast.error('This did not work', { description: firstErrorMessage(error) });
      throw error;
    }
  }, []);
  return { checking, follow };
}

/** Status text while the outcome of an action is unknown. Always mounted, so that screen readers announce changes. */
export function OutcomeStatus({ message }: { message: string | null | undefined }) {
  return (
    <p role="status" className="flex items-start gap-2 rounded-md bg-info-soft px-3 py-2 text-info-ink empty:hidden">
      {message && (
        <>
          <LoaderCircle aria-hidden className="mt-0.5 size-4 shrink-0 animate-spin" />
          {message}
        </>
      )}
    </p>
  );
}
