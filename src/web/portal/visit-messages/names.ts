import type { VisitMessageView } from '#contract/visit-messages.ts';

const KINDS = { confirmation: 'Confirmation', move: 'News of the move', cancellation: 'News of the cancellation' };

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

function before(minutes: number): string {
  if (minutes % 1440 === 0) return counted(minutes / 1440, 'day');
  return minutes % 60 === 0 ? counted(minutes / 60, 'hour') : counted(minutes, 'minute');
}

/** "Reminder 1 day before, by email" */
export function nameOf({ kind, minutes_before, channel }: VisitMessageView): string {
  const what = kind === 'reminder' ? `Reminder ${before(minutes_before ?? 0)} before` : KINDS[kind];
  return `${what}, by ${channel === 'sms' ? 'text' : 'email'}`;
}
