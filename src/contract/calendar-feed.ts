import { z } from 'zod';

/** The token in the URL of a calendar feed (iCalendar). */
export const GetCalendarFeedInput = z.strictObject({ token: z.string().max(200) });
export type GetCalendarFeedInput = z.infer<typeof GetCalendarFeedInput>;

/** When the staff user's calendar feed was created; null without a feed. */
export type CalendarFeedView = { made_at: string | null };
/** `url` is returned only once. */
export type CreatedCalendarFeed = { url: string; made_at: string };
