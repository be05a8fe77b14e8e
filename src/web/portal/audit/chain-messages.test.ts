import { expect, test } from 'vitest';
import { AUDIT_PROBLEMS, type AuditProblemView } from '#contract/audit.ts';
import { chainFaultMessage } from './chain-messages.ts';

const message = (fault: Partial<AuditProblemView>) =>
  chainFaultMessage(
    {
      problem: 'changed',
      position: 1234,
      written_at: '2027-03-12T15:00:00Z',
      entry_id: 'x',
      other_position: null,
      ...fault,
    },
    'America/New_York',
  );

test('names the first broken entry by its position and day', () => {
  expect(message({})).toBe('Entry 1,234 of Mar 12, 2027 was changed after it was written.');
  expect(message({ problem: 'swapped', other_position: 1240 })).toMatch(/was swapped with entry 1,240\.$/);
  expect(message({ problem: 'removed', written_at: null })).toBe('Entry 1,234 was removed.');
  expect(message({ problem: 'inserted', position: null })).toBe(
    'An entry of Mar 12, 2027 was added past the log: it has no seal.',
  );
  expect(message({ problem: 'removed', position: null, written_at: null })).toBe('An entry was removed.');
});

test.each(AUDIT_PROBLEMS)('%s has a message for every combination of known fields', (problem) => {
  for (const fields of [{}, { position: null }, { written_at: null }, { position: null, written_at: null }])
    expect(message({ problem, ...fields })).toMatch(/^[A-Z][^{}_]+\.$/);
});
