import { expect, test } from 'vitest';
import { issueMessage } from './issue-message.ts';
import { DEFAULT_TEMPLATES, snippetError, templateError } from './message-templates.ts';

const NOTHING = { says_type: false, says_practitioner: false, says_reason: false };

test('the reasons why a message text is rejected are shown unchanged', () => {
  const errors = [
    ...['{type}', '{ssn}', '<b>', 'x'.repeat(10_001), ' '].map((text) => templateError('body', text, NOTHING)),
    ...(['subject', 'text'] as const).map((part) => templateError(part, '{reason}', { ...NOTHING, says_reason: true })),
    templateError('subject', 'Your appointment\r\nBcc: a@example.test', NOTHING),
    ...['{name}', '<b>', 'x'.repeat(151), ''].map((text) => snippetError('nameless', text)),
  ];
  // A message that does not begin like a sentence is replaced by a generic one.
  for (const message of errors)
    expect(issueMessage({ code: 'custom', path: [], message: message!, input: '' })).toBe(message);
});

test('the default texts are valid when a clinic allows nothing', () => {
  for (const template of Object.values(DEFAULT_TEMPLATES))
    for (const part of ['subject', 'body', 'text'] as const)
      expect(templateError(part, template[part], NOTHING)).toBeNull();
});
