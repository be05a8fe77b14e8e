import { readTabValue, removeTabValue, storeTabValue } from '../tab-storage.ts';
import type { Hidden } from './media.ts';

const KEY = 'visit-seat';

/** `of` identifies the appointment. `hold`: the secret that identifies this tab in it. */
type StoredSeat = { of: string; hold: string; hidden: Hidden };

/**
 * The stored seat of this tab in an appointment that it has entered, or requested to enter: a reload takes it again.
 */
export function storedSeat(of: string): StoredSeat | null {
  const stored = JSON.parse(readTabValue(KEY) ?? 'null') as StoredSeat | null;
  return stored?.of === of ? stored : null;
}

/** Stores the secret before the request for the seat: a lost response may have assigned the seat. */
export function storeSeat(of: string, hidden: Hidden): string {
  const hold = storedSeat(of)?.hold ?? crypto.randomUUID();
  storeTabValue(KEY, JSON.stringify({ of, hold, hidden } satisfies StoredSeat));
  return hold;
}

/** Stores what the participant hides, so that it stays hidden after a reload. */
export function storeHidden(of: string, hidden: Hidden): void {
  if (storedSeat(of)) storeSeat(of, hidden);
}

export const clearStoredSeat = (): void => removeTabValue(KEY);
