import { expect, test } from 'vitest';
import { faultOf } from '#web/ui/api-faults.ts';
import { type Deed, notUndoneWords, undoneWords } from './undo-words.ts';

const WHEN = 'Monday, November 23 at 9:00 AM';
const TAKEN = faultOf('slot_taken', 'Somebody else has just taken this time.');

test.each<[Deed, RegExp]>([
  ['book', /canceled again/],
  ['move', /is back on Monday/],
  ['cancel', /booked again. It has a new video link/],
])('what was done by %s is taken back', (deed, words) => {
  expect(undoneWords(deed, WHEN)).toMatch(words);
});

test.each<Deed>(['move', 'cancel'])('a %s whose time has gone says so, and why', (deed) => {
  expect(notUndoneWords(deed, WHEN, TAKEN)).toBe(
    `${WHEN} is not free any more. Somebody else has just taken this time.`,
  );
  for (const code of ['slot_not_offered', 'conflict'])
    expect(notUndoneWords(deed, WHEN, faultOf(code, 'No.'))).toBe(`${WHEN} is not free any more. No.`);
});

test('a booking is taken back whatever became of its time, and another fault says nothing of a time', () => {
  expect(notUndoneWords('book', WHEN, faultOf('conflict', 'It is canceled already.'))).toBe('It is canceled already.');
  expect(notUndoneWords('move', WHEN, new TypeError('fetch failed'))).toMatch(/The server did not answer/);
});
