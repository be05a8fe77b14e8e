import { expect, test } from 'vitest';
import { z } from 'zod';
import { Instant, Metadata, text } from './conventions.ts';
import { issueMessage } from './issue-message.ts';
import { CreatePatientInput } from './patients.ts';
import { InviteMemberInput } from './team.ts';

const wordsOf = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues.map(issueMessage);

test.each<[z.ZodType, unknown, string]>([
  [text(100), '', 'Fill this in.'],
  [text(100), undefined, 'Fill this in.'],
  [text(3), 'abcd', 'Use at most 3 characters.'],
  [z.string().min(12), 'short', 'Use at least 12 characters.'],
  [z.email(), 'not-an-email', 'Enter an email address like name@example.org.'],
  [z.email('is not an email address'), 'not-an-email', 'Enter an email address like name@example.org.'],
  [z.union([z.literal(''), z.email()]), 'not-an-email', 'Enter an email address like name@example.org.'],
  [z.array(z.string()).min(1), [], 'Choose at least one.'],
  [z.array(z.string()).max(1), ['a', 'b'], 'At most 1 can be chosen.'],
  [z.enum(['a', 'b']), 'c', 'Choose one of the given values.'],
  [z.url(), 'here', 'Enter a whole web address, beginning with https://.'],
  [Instant, 'soon', 'Enter a date and a time.'],
  [z.number().max(9), 10, 'Enter 9 or less.'],
  [Metadata, 5, 'Fill this in.'],
  [
    z.string().refine(() => false, 'must be an IANA time zone'),
    'x',
    'This cannot be saved as it is. Check what you typed.',
  ],
])('%# returns a message for users', (schema, value, message) => {
  expect(wordsOf(schema, value)).toEqual([message]);
});

test('a schema’s own sentence is returned unchanged', () => {
  expect(wordsOf(z.string().min(1, 'Enter your name.'), '')).toEqual(['Enter your name.']);
});

test('form errors contain no library messages and none for programs', () => {
  const messages = [InviteMemberInput, ...Object.values(CreatePatientInput.shape)].flatMap((schema) =>
    [undefined, null, '', 'x'.repeat(20_000), 12, {}, [], '\u0000'].flatMap((value) => wordsOf(schema, value) ?? []),
  );
  expect(messages.length).toBeGreaterThan(50);
  for (const message of messages) expect(message).toMatch(/^[A-Z][^_{}<>`]+\.$/);
  for (const message of messages) expect(message).not.toMatch(/expected|received|string|Invalid|NUL/);
});
