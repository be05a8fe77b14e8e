import type { Appointment } from '#generated/prisma/client.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';

const OPENS_BEFORE_MS = 15 * MINUTE;
const CLOSES_AFTER_MS = 60 * MINUTE;
export const OPENS_BEFORE_S = OPENS_BEFORE_MS / SECOND;

/** From when to when a visit's room is open: somewhat before it begins, and long enough after its end to be late. */
export const windowOf = ({ startAt, endAt }: Pick<Appointment, 'startAt' | 'endAt'>) => ({
  opensAt: new Date(startAt.getTime() - OPENS_BEFORE_MS),
  closesAt: new Date(endAt.getTime() + CLOSES_AFTER_MS),
});

/** The same from the other end: a visit is open now that starts not after `opens` and ends after `closes`. */
export const startsOfOpen = (now: Date) => ({
  opens: new Date(now.getTime() + OPENS_BEFORE_MS),
  closes: new Date(now.getTime() - CLOSES_AFTER_MS),
});
