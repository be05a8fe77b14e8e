import { expect, test } from 'vitest';
import { smallWordsFault, wordsFault } from './message-words.ts';
import { wordsOfIssue } from './words-of-issue.ts';

const NOTHING = { says_type: false, says_practitioner: false };

test('why words of a message cannot be kept is told to who wrote them', () => {
  const refused = [
    ...['{type}', '{ssn}', '<b>', 'x'.repeat(10_001), ' '].map((words) => wordsFault('body', words, NOTHING)),
    wordsFault('subject', 'Your visit\r\nBcc: a@example.test', NOTHING),
    ...['{name}', '<b>', 'x'.repeat(151), ''].map((words) => smallWordsFault('nameless', words)),
  ];
  // Anything that does not begin as a sentence is replaced by one that says nothing.
  for (const message of refused)
    expect(wordsOfIssue({ code: 'custom', path: [], message: message!, input: '' })).toBe(message);
});
