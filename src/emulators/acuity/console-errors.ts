import type { z } from 'zod';

/** Labels of the console's form fields, for error messages. */
const LABELS: Record<string, string> = {
  name: 'Name',
  timezone: 'Time zone',
  plan: 'Plan',
  interval: 'Minutes between starts',
  minHoursInAdvance: 'Hours in advance, at least',
  maxDaysInAdvance: 'Days in advance, at most',
  duration: 'Minutes',
  price: 'Price',
  paddingBefore: 'Padding before, in minutes',
  paddingAfter: 'Padding after, in minutes',
  type: 'Kind',
  start: 'From',
  end: 'Until',
  until: 'Last day',
  delay: 'Delay in seconds',
  times: 'Number of times',
};
const WEEKDAY = /^[a-z]+day$/;

const labelOf = (key: string): string | undefined =>
  WEEKDAY.test(key) ? key.charAt(0).toUpperCase() + key.slice(1) : LABELS[key];

/** Prefixes the message with the field's label: `Minutes: Enter 0 or more.` */
export function fieldError(key: string, message: string): TypeError {
  const label = labelOf(key);
  return new TypeError(label ? `${label}: ${message}` : message);
}

/** Converts a schema error to one message per field: the schema's own message, else a generic one. */
export function fieldErrors(error: z.ZodError): TypeError {
  const isFirst = ({ path }: z.core.$ZodIssue, at: number, all: z.core.$ZodIssue[]) =>
    all.findIndex((other) => other.path.join() === path.join()) === at;
  const sentences = error.issues.filter(isFirst).map((issue) => {
    const key = issue.path.filter((part) => typeof part === 'string' && labelOf(part)).at(-1);
    return fieldError(String(key ?? ''), issueMessage(issue)).message;
  });
  return new TypeError([...new Set(sentences)].join(' '));
}

function issueMessage(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_small':
      return issue.origin === 'string' ? 'Fill this in.' : `Enter ${issue.minimum} or more.`;
    case 'too_big':
      return issue.origin === 'array' ? `There can be ${issue.maximum} at most.` : `Enter ${issue.maximum} or less.`;
    case 'invalid_type':
      return issue.expected === 'int' ? 'Enter a whole number.' : 'Enter a number.';
    case 'invalid_value':
      return 'Choose one of the options.';
    default:
      // Zod's own message for a pattern quotes the pattern.
      return /^Invalid/.test(issue.message) ? 'Check the value.' : issue.message;
  }
}
