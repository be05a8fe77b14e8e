import { firstErrorMessage, readApiErrors } from '#web/ui/api-errors.ts';

/** An action that can be undone. */
export type UndoableAction = 'book' | 'move' | 'cancel';

/** Codes that mean: someone else has the slot, or the provider no longer offers it. */
const GONE = new Set(['slot_taken', 'slot_not_offered', 'conflict']);

/** Message after an undo; `when` is the time before the action, or the booked time. */
export const undoneMessage = (action: UndoableAction, when: string): string =>
  ({
    book: `The appointment on ${when} is canceled again.`,
    move: `The appointment is back on ${when}.`,
    cancel: `The appointment on ${when} is booked again. It has a new video link.`,
  })[action];

/** Explains why an undo failed; undoing a booking does not depend on a free slot. */
export function undoFailedMessage(action: UndoableAction, when: string, error: unknown): string {
  const isGone = action !== 'book' && GONE.has(readApiErrors(error)[0].code);
  return isGone ? `${when} is not free any more. ${firstErrorMessage(error)}` : firstErrorMessage(error);
}
