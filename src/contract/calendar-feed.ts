import { z } from 'zod';

/** The token of the link that a calendar program follows. */
export const ReadFeedInput = z.strictObject({ token: z.string().max(200) });
export type ReadFeedInput = z.infer<typeof ReadFeedInput>;

/** Since when one's own visits can be followed; null while they cannot. */
export type CalendarFeedView = { made_at: string | null };
/** `url` is told this once. */
export type MadeCalendarFeed = { url: string; made_at: string };
