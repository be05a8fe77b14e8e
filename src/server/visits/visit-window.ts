import type { Appointment } from '#generated/prisma/client.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';

const OPENS_BEFORE_MS = 15 * MINUTE;
const CLOSES_AFTER_MS = 60 * MINUTE;
export const OPENS_BEFORE_S = OPENS_BEFORE_MS / SECOND;

/** Returns when the video room is open: from shortly before the start until an hour after the end, for late calls. */
export const windowOf = ({ startAt, endAt }: Pick<Appointment, 'startAt' | 'endAt'>) => ({
  opensAt: new Date(startAt.getTime() - OPENS_BEFORE_MS),
  closesAt: new Date(endAt.getTime() + CLOSES_AFTER_MS),
});

/**
 * Returns the bounds for queries: a room is open when the appointment starts not after `opens` and ends after `closes`.
 */
export const openWindowBounds = (now: Date) => ({
  opens: new Date(now.getTime() + OPENS_BEFORE_MS),
  closes: new Date(now.getTime() - CLOSES_AFTER_MS),
});
