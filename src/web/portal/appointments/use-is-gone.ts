'use client';
import { useState } from 'react';
import type { FreeSlots } from '#contract/availability.ts';

/** Whether a time is among the free ones; null when that is not known, because the list is not loaded or incomplete. */
export function isOffered(fromDate: string, times: FreeSlots | undefined): boolean | null {
  const instant = Date.parse(fromDate);
  if (times?.items.some(({ from_date }) => Date.parse(from_date) === instant)) return true;
  return times && times.missing.length === 0 ? false : null;
}

/**
 * Returns whether a chosen time was free for an appointment type and no longer is. A time that was not in the list when
 * it was chosen is left to the server.
 */
export function useIsGone(fromDate: string | null, typeId: number | null, times: FreeSlots | undefined): boolean {
  const [seen, setSeen] = useState('');
  const offered = fromDate === null ? null : isOffered(fromDate, times);
  const choice = `${typeId} ${fromDate}`;
  if (offered && seen !== choice) setSeen(choice);
  return offered === false && seen === choice;
}
