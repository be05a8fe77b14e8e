import { expect, test } from 'vitest';
import { smallWordsFault, wordsFault } from './message-words.ts';
import { wordsOfIssue } from './words-of-issue.ts';

const NOTHING = { says_type: false, says_practitioner: false };

test('the reasons why a message text is rejected are shown unchanged', () => {
  const refused = [
    ...['{type}', '{ssn}', '<b>', 'x'.repeat(10_001), ' '].map((words) => wordsFault('body', words, NOTHING)),
    wordsFault('subject', 'Your visit\r\nBcc: a@example.test', NOTHING),
    ...['{name}', '<b>', 'x'.repeat(151), ''].map((words) => smallWordsFault('nameless', words)),
  ];
  // A message that does not begin like a sentence is replaced by a generic one.
  for (const message of refused)
    expect(wordsOfIssue({ code: 'custom', path: [], message: message!, input: '' })).toBe(message);
});
