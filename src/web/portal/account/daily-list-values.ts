import { z } from 'zod';

/** Form values of the daily list, as its controls hold them. */
export const DailyListValues = z.object({
  is_on: z.boolean(),
  on_empty_days: z.boolean(),
  hour: z.string(),
  time_zone: z.string(),
});
