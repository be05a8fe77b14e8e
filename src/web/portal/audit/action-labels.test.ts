import { expect, test } from 'vitest';
import { describeEntry } from './action-labels.ts';

const ADA = { id: '1', name: 'Ada Example' };
const entry = (action: string, patients = [ADA], outcome = 'done', count = patients.length) =>
  describeEntry({ action, outcome, patients, patient_count: count, on_behalf_of: null });

test.each([
  [entry('patients.get'), 'opened the chart of Ada Example'],
  [entry('patients.get', [ADA], 'forbidden'), 'tried to open the chart of Ada Example'],
  [entry('sign_ins.try', [ADA], 'invalid_credentials'), 'tried to sign in as Ada Example'],
  [entry('account.sign_in', [], 'invalid_credentials'), 'tried to sign in to the portal'],
  [entry('patients.list', [ADA, ADA], 'done', 50), 'saw 50 patients in a list'],
  [entry('patients.list', []), 'saw no patient in a list'],
  [entry('patients.restore_email', [ADA], 'not_found'), 'tried to put back the email address of Ada Example'],
  [entry('something.new', []), 'did “something.new”'],
])('%s', (label, expected) => {
  expect(label).toBe(expected);
});
