import { expect, test } from 'vitest';
import { dueLabel, dueSentence, isOverdue } from './due.ts';

const TODAY = '2027-02-28';

test.each([
  ['2027-02-28', 'Today', 'Due today', false],
  ['2027-03-01', 'Tomorrow', 'Due tomorrow', false],
  ['2027-03-02', 'Mar 2, 2027', 'Due Mar 2, 2027', false],
  ['2027-02-27', 'Yesterday', 'Overdue since yesterday', true],
  ['2026-12-31', 'Dec 31, 2026', 'Overdue since Dec 31, 2026', true],
])('a task that is due on %s', (due, label, sentence, overdue) => {
  expect([dueLabel(due, TODAY), dueSentence(due, TODAY), isOverdue(due, TODAY)]).toEqual([label, sentence, overdue]);
});
