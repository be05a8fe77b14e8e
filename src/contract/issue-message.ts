import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

const ANYTHING_WRONG = 'This cannot be saved as it is. Check what you typed.';
/** How the library's own messages begin. */
const BY_ITSELF = /^(Invalid|Too (small|big)|Unrecognized|Required\b)/;
/** A message for users begins like a sentence; a fragment ("must be an integer") is for programs. */
const isSentence = (message: string): boolean => /^\p{Lu}/u.test(message) && !BY_ITSELF.test(message);

/** Returns the message to show at a field that a schema rejected: the schema's own sentence, or else one of these. */
export function issueMessage(issue: Issue): string {
  if (isSentence(issue.message)) return issue.message;
  switch (issue.code) {
    case 'too_small':
      return tooLittle(issue);
    case 'too_big':
      return tooMuch(issue);
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'This does not look right. Check what you typed.';
    case 'invalid_value':
      return 'Choose one of the given values.';
    case 'invalid_type':
      return 'Fill this in.';
    case 'invalid_union':
      return ofUnion(issue.errors);
    default:
      return ANYTHING_WRONG;
  }
}

const FORMATS: Record<string, string> = {
  email: 'Enter an email address like name@example.org.',
  url: 'Enter a whole web address, beginning with https://.',
  date: 'Enter a date.',
  datetime: 'Enter a date and a time.',
};

const plural = (count: number | bigint, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${Number(count) === 1 ? '' : 's'}`;

function tooLittle({ origin, minimum }: Extract<Issue, { code: 'too_small' }>): string {
  if (origin === 'string') return minimum <= 1 ? 'Fill this in.' : `Use at least ${plural(minimum, 'character')}.`;
  if (origin === 'array' || origin === 'set')
    return minimum <= 1 ? 'Choose at least one.' : `Choose at least ${minimum}.`;
  return `Enter ${minimum} or more.`;
}

function tooMuch({ origin, maximum }: Extract<Issue, { code: 'too_big' }>): string {
  if (origin === 'string') return `Use at most ${plural(maximum, 'character')}.`;
  if (origin === 'array' || origin === 'set') return `At most ${maximum} can be chosen.`;
  return `Enter ${maximum} or less.`;
}

/** In a union the last branch is the intended one; those before it allow an empty field. */
function ofUnion(branches: readonly (readonly Issue[])[]): string {
  const intended = branches.at(-1)?.[0];
  return intended ? issueMessage(intended) : ANYTHING_WRONG;
}
