import { expect, test } from 'vitest';
import { faultOf } from '#web/ui/api-faults.ts';
import { type Deed, notUndoneWords, undoneWords } from './undo-words.ts';

const WHEN = 'Monday, November 23 at 9:00 AM';
const TAKEN = faultOf('slot_taken', 'Someone else has just taken this time.');

test.each<[Deed, RegExp]>([
  ['book', /canceled again/],
  ['move', /is back on Monday/],
  ['cancel', /booked again. It has a new video link/],
])('says that a %s was undone', (deed, words) => {
  expect(undoneWords(deed, WHEN)).toMatch(words);
});

test.each<Deed>(['move', 'cancel'])('says that a %s cannot be undone because the slot is gone, and why', (deed) => {
  expect(notUndoneWords(deed, WHEN, TAKEN)).toBe(
    `${WHEN} is not free any more. Someone else has just taken this time.`,
  );
  for (const code of ['slot_not_offered', 'conflict'])
    expect(notUndoneWords(deed, WHEN, faultOf(code, 'No.'))).toBe(`${WHEN} is not free any more. No.`);
});

test('reports only the error when a booking, or an error not about the slot, is concerned', () => {
  expect(notUndoneWords('book', WHEN, faultOf('conflict', 'It is canceled already.'))).toBe('It is canceled already.');
  expect(notUndoneWords('move', WHEN, new TypeError('fetch failed'))).toMatch(/The server did not answer/);
});
