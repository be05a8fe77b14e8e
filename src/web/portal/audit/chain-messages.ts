import type { AuditProblemView } from '#contract/audit.ts';
import { formatCount } from '#web/ui/count-label.ts';
import { formatInstant } from '#web/ui/format-time.ts';

/** Describes the first defect of the log: "Entry 1,234 of Mar 12, 2027 was changed after it was written." */
export function chainFaultMessage(
  { problem, position, written_at, other_position }: AuditProblemView,
  zone: string,
): string {
  const number = position === null ? '' : ` ${formatCount(position)}`;
  const day = written_at === null ? '' : ` of ${formatInstant(written_at, 'date', zone)}`;
  const entry = number || day ? `Entry${number}${day}` : 'An entry';
  const other = other_position === null ? 'another one' : `entry ${formatCount(other_position)}`;
  switch (problem) {
    case 'changed':
      return `${entry} was changed after it was written.`;
    case 'removed':
      return `${entry} was removed.`;
    case 'swapped':
      return `${entry} was swapped with ${other}.`;
    case 'inserted':
      return `${entry === 'An entry' ? entry : entry.replace('Entry', 'An entry')} was added past the log: it has no seal.`;
    case 'seal_missing':
      return `The seal of ${entry.replace(/^E|^A/, (first) => first.toLowerCase())} was taken away.`;
    case 'end_missing':
      return `The seals from entry${number} on were taken away.`;
    case 'other_end':
      return `The log ends with entry${number}, which is not the end that was noted.`;
    case 'other_checkpoint':
      return `The log begins after entry${number}, and nothing in it says why.`;
    case 'not_as_kept':
      return `The log up to entry${number} is not the one that was kept elsewhere.`;
  }
}

/** Next steps for the admin; none of them is possible through the portal. */
export const NEXT_STEPS = [
  'Tell the operator of this service, and the person who is responsible for privacy at your clinic.',
  'Do not change anything. Export the log, and ask for a copy of the database as it is now.',
  'Only someone with access to the database itself can do this. Ask for “npm run audit:verify” with the ends of the log that were kept elsewhere: it says what else is wrong, and since when.',
];
