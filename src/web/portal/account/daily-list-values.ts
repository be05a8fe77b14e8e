import { z } from 'zod';

/** What the form about the list of the day holds, as its controls have it. */
export const DailyListValues = z.object({
  is_on: z.boolean(),
  on_empty_days: z.boolean(),
  hour: z.string(),
  time_zone: z.string(),
});
