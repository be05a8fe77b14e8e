import { z } from 'zod';
import { TimeZone } from './conventions.ts';

/** One's own visits of each day, by mail. */
export const DailyListInput = z.strictObject({
  is_on: z.boolean(),
  /** At which hour of the day it is sent. */
  hour: z.int().min(0).max(23),
  /** Whose clock that is; the clinic's where it is null. */
  time_zone: TimeZone.nullable(),
  /** Whether it is sent on days without visits, too. */
  on_empty_days: z.boolean(),
});
export type DailyListInput = z.infer<typeof DailyListInput>;

/** What became of the last one; `empty`: there was no visit to tell of. */
export type DailyListView = DailyListInput & {
  last: { at: string; became: 'sending' | 'again' | 'sent' | 'empty' | 'failed' | 'unknown' } | null;
};
