'use client';
import { useEffect, useState } from 'react';
import type { Call } from './call.ts';
import { useStore } from './use-store.ts';

/** A shorter loss is not worth a message. */
const NOTICED_MS = 3_000;

/** Whether the service has been out of reach for a while, so that the room on this page may have changed. */
export function useIsCutOff(call: Call): boolean {
  const { isStreamOpen } = useStore(call);
  const [isCutOff, setCutOff] = useState(false);
  useEffect(() => {
    if (isStreamOpen) return setCutOff(false);
    const timer = setTimeout(() => setCutOff(true), NOTICED_MS);
    return () => clearTimeout(timer);
  }, [isStreamOpen]);
  return isCutOff;
}
