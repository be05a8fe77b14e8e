import { expect, test } from 'vitest';
import { createApiError } from '#web/ui/api-errors.ts';
import { type UndoableAction, undoFailedMessage, undoneMessage } from './use-undo.ts';

const WHEN = 'Monday, November 23 at 9:00 AM';
const SLOT_TAKEN = createApiError('slot_taken', 'Someone else has just taken this time.');

test.each<[UndoableAction, RegExp]>([
  ['book', /canceled again/],
  ['move', /is back on Monday/],
  ['cancel', /booked again. It has a new video link. Notes stay/],
])('says that a %s was undone', (action, message) => {
  expect(undoneMessage(action, WHEN)).toMatch(message);
});

test.each<UndoableAction>(['move', 'cancel'])(
  'says that a %s cannot be undone because the slot is not available, and why',
  (action) => {
    expect(undoFailedMessage(action, WHEN, SLOT_TAKEN)).toBe(
      `${WHEN} is not free any more. Someone else has just taken this time.`,
    );
    for (const code of ['slot_not_offered', 'conflict'])
      expect(undoFailedMessage(action, WHEN, createApiError(code, 'No.'))).toBe(`${WHEN} is not free any more. No.`);
  },
);

test('reports only the error for a booking, and for an error that is not about the slot', () => {
  expect(undoFailedMessage('book', WHEN, createApiError('conflict', 'It is canceled already.'))).toBe(
    'It is canceled already.',
  );
  expect(undoFailedMessage('move', WHEN, new TypeError('fetch failed'))).toMatch(/The server did not answer/);
});
