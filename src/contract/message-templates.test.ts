import { expect, test } from 'vitest';
import { issueMessage } from './issue-message.ts';
import { snippetError, templateError } from './message-templates.ts';

const NOTHING = { says_type: false, says_practitioner: false };

test('the reasons why a message text is rejected are shown unchanged', () => {
  const errors = [
    ...['{type}', '{ssn}', '<b>', 'x'.repeat(10_001), ' '].map((text) => templateError('body', text, NOTHING)),
    templateError('subject', 'Your appointment\r\nBcc: a@example.test', NOTHING),
    ...['{name}', '<b>', 'x'.repeat(151), ''].map((text) => snippetError('nameless', text)),
  ];
  // A message that does not begin like a sentence is replaced by a generic one.
  for (const message of errors)
    expect(issueMessage({ code: 'custom', path: [], message: message!, input: '' })).toBe(message);
});
