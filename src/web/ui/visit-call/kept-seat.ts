import { forget, keep, readKept } from '../tab-memory.ts';
import type { Hidden } from './media.ts';

const KEY = 'visit-seat';

/** `of` names the visit. `hold`: the secret by which this tab is known in it. */
type Kept = { of: string; hold: string; hidden: Hidden };

/** What this tab has of a visit that it has entered, or asked to enter: a reload comes back to it. */
export function keptSeat(of: string): Kept | null {
  const kept = JSON.parse(readKept(KEY) ?? 'null') as Kept | null;
  return kept?.of === of ? kept : null;
}

/** Before it is asked for: an answer that is lost may have been given. */
export function holdSeat(of: string, hidden: Hidden): string {
  const hold = keptSeat(of)?.hold ?? crypto.randomUUID();
  keep(KEY, JSON.stringify({ of, hold, hidden } satisfies Kept));
  return hold;
}

/** What somebody hides in a call, they hide after a reload as well. */
export function keepHidden(of: string, hidden: Hidden): void {
  if (keptSeat(of)) holdSeat(of, hidden);
}

export const forgetSeat = (): void => forget(KEY);
