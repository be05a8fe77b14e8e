import { expect, test } from 'vitest';
import { entriesFor, readLedger } from './ledger.mjs';

test('each unsteady test is in the ledger once, with its cause', () => {
  const entries = readLedger();
  for (const entry of entries) {
    expect(Object.keys(entry)).toEqual(['test', 'commit', 'message', 'cause', 'fixed_in']);
    for (const key of ['test', 'commit', 'message', 'cause'] as const)
      expect(entry[key], `${key} of ${entry.test}`).not.toBe('');
  }
  expect(new Set(entries.map((entry) => entry.test)).size).toBe(entries.length);
});

test('an entry for the ledger is one line of JSON with an empty cause', () => {
  const unsteady = [{ name: 'a.test.ts > does it', why: '\u001b[31mno\u001b[39m\nat line 1' }];
  expect(entriesFor(unsteady, 'abc1234').map((line) => JSON.parse(line))).toEqual([
    { test: 'a.test.ts > does it', commit: 'abc1234', message: 'no', cause: '', fixed_in: '' },
  ]);
});
