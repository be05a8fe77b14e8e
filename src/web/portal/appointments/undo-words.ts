import { faultSentence, readApiFaults } from '#web/ui/api-faults.ts';

/** What was done, and is taken back. */
export type Deed = 'book' | 'move' | 'cancel';

/** The time went to somebody else, or the provider offers it no more. */
const GONE = new Set(['slot_taken', 'slot_not_offered', 'conflict']);

/** What is so once it is taken back; `when` is the time that the visit had before, or that it was booked for. */
export const undoneWords = (deed: Deed, when: string): string =>
  ({
    book: `The visit on ${when} is canceled again.`,
    move: `The visit is back on ${when}.`,
    cancel: `The visit on ${when} is booked again. It has a new video link.`,
  })[deed];

/** Why it could not be taken back; a booking needs no time to be free for that. */
export function notUndoneWords(deed: Deed, when: string, error: unknown): string {
  const isGone = deed !== 'book' && GONE.has(readApiFaults(error)[0].code);
  return isGone ? `${when} is not free any more. ${faultSentence(error)}` : faultSentence(error);
}
