import { forget, keep, readKept } from '../tab-memory.ts';
import type { Hidden } from './media.ts';

const KEY = 'visit-seat';

/** `of` identifies the appointment. `hold`: the secret that identifies this tab in it. */
type Kept = { of: string; hold: string; hidden: Hidden };

/**
 * The stored seat of this tab in an appointment that it has entered, or requested to enter: a reload takes it again.
 */
export function keptSeat(of: string): Kept | null {
  const kept = JSON.parse(readKept(KEY) ?? 'null') as Kept | null;
  return kept?.of === of ? kept : null;
}

/** Stores the secret before the request for the seat: a lost response may have assigned the seat. */
export function holdSeat(of: string, hidden: Hidden): string {
  const hold = keptSeat(of)?.hold ?? crypto.randomUUID();
  keep(KEY, JSON.stringify({ of, hold, hidden } satisfies Kept));
  return hold;
}

/** Stores what the participant hides, so that it stays hidden after a reload. */
export function keepHidden(of: string, hidden: Hidden): void {
  if (keptSeat(of)) holdSeat(of, hidden);
}

export const forgetSeat = (): void => forget(KEY);
