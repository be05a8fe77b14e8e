import { addDays, formatPlainDate } from '#web/ui/format-time.ts';

/** Choices of a due date, as days from today. */
export const QUICK_DUE = [
  { label: 'Today', days: 0 },
  { label: 'Tomorrow', days: 1 },
  { label: 'In a week', days: 7 },
  { label: 'In two weeks', days: 14 },
];

/** "Today", "Tomorrow", "Yesterday", or the date; both days are YYYY-MM-DD. */
export function dueLabel(due: string, today: string): string {
  if (due === today) return 'Today';
  if (due === addDays(today, 1)) return 'Tomorrow';
  return due === addDays(today, -1) ? 'Yesterday' : formatPlainDate(due);
}

export const isOverdue = (due: string, today: string): boolean => due < today;

/** "Due tomorrow", "Overdue since Mar 3, 2027" */
export function dueSentence(due: string, today: string): string {
  const label = dueLabel(due, today);
  // A month keeps its capital.
  const day = /\d/.test(label) ? label : label.toLowerCase();
  return isOverdue(due, today) ? `Overdue since ${day}` : `Due ${day}`;
}
