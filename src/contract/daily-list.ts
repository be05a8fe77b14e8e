import { z } from 'zod';
import { TimeZone } from './conventions.ts';

/** A practitioner's own appointments of each day, by email. */
export const DailyListInput = z.strictObject({
  is_on: z.boolean(),
  /** The hour of the day at which it is sent. */
  hour: z.int().min(0).max(23),
  /** The time zone of `hour`; null for the clinic's. */
  time_zone: TimeZone.nullable(),
  /** Whether it is also sent on days without appointments. */
  on_empty_days: z.boolean(),
});
export type DailyListInput = z.infer<typeof DailyListInput>;

/** Outcome of the last one; `empty`: there was no appointment to list. */
export type DailyListView = DailyListInput & {
  last: { at: string; became: 'sending' | 'again' | 'sent' | 'empty' | 'failed' | 'unknown' } | null;
};
