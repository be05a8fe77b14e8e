import { expect, test } from 'vitest';
import type { AuditEntryView } from '#contract/audit.ts';
import { auditEntry } from '#dev/testing/audit-entry.ts';
import { describeEntry, describeRow, moreReads, subjectOf } from './action-labels.ts';
import { foldEntries } from './fold-entries.ts';

const ADA = { id: '1', name: 'Ada Example' };
const SYSTEM = { type: 'System', id: 'stripe_webhook', name: null } as const;
const describe = (overrides: Partial<AuditEntryView>) => {
  const entry = auditEntry(overrides);
  return `${subjectOf(entry)} ${describeEntry(entry)}`;
};
const label = (action: string, patients = [ADA], outcome = 'done', count = patients.length) =>
  describeEntry(auditEntry({ action, outcome, patients, patient_count: count }));

test.each([
  [label('patients.get'), 'opened the chart of Ada Example'],
  [label('patients.get', [ADA], 'forbidden'), 'tried to open the chart of Ada Example'],
  [label('sign_ins.try', [ADA], 'invalid_credentials'), 'tried to sign in as Ada Example'],
  [label('account.sign_in', [], 'invalid_credentials'), 'tried to sign in to the portal'],
  [label('patients.list', [ADA, ADA], 'done', 50), 'saw 50 patients in a list'],
  [label('patients.list', []), 'saw no patient in a list'],
  [label('patients.restore_email', [ADA], 'not_found'), 'tried to put back the email address of Ada Example'],
  [label('visits.admit', [ADA], 'forbidden'), 'tried to let Ada Example into a video visit'],
  [
    label('appointment_messages.send_again', [ADA], 'conflict'),
    'tried to send Ada Example a message about an appointment again',
  ],
  [
    label('patients.merge', [ADA, { id: '2', name: 'Ben Example' }]),
    'merged the records of Ada Example and Ben Example',
  ],
  [label('patients.merge', [], 'forbidden', 2), 'tried to merge the records of 2 patients'],
  [label('something.new', []), 'did “something.new”'],
])('%s', (text, expected) => {
  expect(text).toBe(expected);
});

const about = (type: string, name: string | null) => ({
  object: { type, id: '7', name },
  patients: [],
  patient_count: 0,
});
const paid = (amount: number | null, total: number | null) => ({ payment: { amount, total, currency: 'usd' } });

test.each<[Partial<AuditEntryView>, string]>([
  [
    { ...about('StaffUser', 'Nora Example'), action: 'team.invite', details: { role: 'practitioner' } },
    'invited Nora Example as Practitioner',
  ],
  [{ ...about('StaffUser', null), action: 'team.invite' }, 'invited a colleague'],
  [
    {
      ...about('StaffUser', 'Nora Example'),
      action: 'team.change_role',
      details: { from: 'billing', role: 'front_desk' },
    },
    'changed the role of Nora Example from Billing to Front desk',
  ],
  [
    { ...about('StaffUser', 'Nora Example'), action: 'team.change_role', details: { role: 'admin' } },
    'changed the role of Nora Example to Admin',
  ],
  [{ ...about('Application', 'Booking $&'), action: 'applications.create' }, 'made the application Booking $&'],
  [
    { ...about('Application', null), action: 'applications.revoke', outcome: 'forbidden' },
    'tried to revoke an application',
  ],
  [
    { ...about('WebhookEndpoint', 'hooks.example.org'), action: 'webhooks.update' },
    'changed the webhook receiver at hooks.example.org',
  ],
  [{ ...about('StaffUser', 'Nora Example'), action: 'account.sign_out' }, 'signed out Nora Example of the portal'],
  [
    { action: 'appointments.cancel', object: { type: 'Appointment', id: '7', name: 'Nora Example' } },
    'canceled an appointment of Ada Example with Nora Example',
  ],
  [{ action: 'appointments.update', details: { mark: 'checked_in' } }, 'checked in Ada Example for an appointment'],
  [
    { action: 'appointments.update', outcome: 'conflict', details: { mark: 'checked_in' } },
    'tried to check in Ada Example for an appointment',
  ],
  [
    { action: 'appointments.update', details: { mark: 'no_show', undone: true } },
    'undid “Did not come” for an appointment of Ada Example',
  ],
  [{ action: 'appointments.update', details: { status: 'scheduled' } }, 'changed an appointment of Ada Example'],
  [
    { action: 'appointments.set_note', details: { written: false } },
    'removed a note about an appointment of Ada Example',
  ],
  [
    { action: 'subscriptions.cancel', object: { type: 'Subscription', id: 'sub_1', name: 'Monthly' } },
    'canceled a subscription of Ada Example (Monthly)',
  ],
  [
    { action: 'subscriptions.update', details: { promotion_code: 'SPRING' } },
    'changed a subscription of Ada Example by the promotion code SPRING',
  ],
  [{ action: 'payments.refund', ...paid(9000, 49000) }, 'refunded $90.00 of $490.00 to Ada Example'],
  [{ action: 'payments.refund', ...paid(49000, 49000) }, 'refunded $490.00 to Ada Example'],
  [
    { action: 'payments.refund', outcome: 'conflict', ...paid(null, 49000) },
    'tried to refund a payment of $490.00 to Ada Example',
  ],
  [{ action: 'payments.get', ...paid(null, 49000) }, 'opened a payment of $490.00 of Ada Example'],
  [{ action: 'payments.get' }, 'opened a payment of Ada Example'],
])('%o names what it is about', (overrides, expected) => {
  expect(describe(overrides)).toBe(`Lin Example ${expected}`);
});

test('names no object to its own actor', () => {
  const actor = { type: 'Application', id: '7', name: 'Booking' } as const;
  expect(describe({ ...about('Application', 'Booking'), actor, action: 'tokens.issue' })).toBe(
    'Booking got access to the API',
  );
  expect(describe({ ...about('Application', 'Booking'), action: 'tokens.issue' })).toBe(
    'Lin Example got access to the API as the application Booking',
  );
});

test('a payment that the service recorded has the patient as its subject', () => {
  const recorded = (event: string, overrides: Partial<AuditEntryView> = {}) =>
    describe({ action: 'subscriptions.sync', actor: SYSTEM, event, ...paid(49000, 49000), ...overrides });
  expect(recorded('subscription.payment_succeeded')).toBe('Ada Example paid $490.00');
  expect(recorded('subscription.payment_succeeded', { payment: null })).toBe('Ada Example paid a bill');
  expect(recorded('subscription.payment_succeeded', { patients: [{ id: '1', name: null }] })).toBe(
    'A patient paid $490.00',
  );
  expect(recorded('subscription.payment_failed')).toBe('Ada Example could not pay $490.00');
  expect(recorded('subscription.disputed')).toBe('Ada Example disputed a payment of $490.00');
  expect(recorded('subscription.refunded', paid(9000, 49000))).toBe(
    'The service noted that $90.00 of $490.00 was refunded to Ada Example at Stripe',
  );
  expect(recorded('subscription.updated')).toBe('The service brought a subscription of Ada Example up to date');
});

test('a row of several reads says how many more there are, and a row of lists how many patients they showed', () => {
  const textOf = (entries: AuditEntryView[]) => foldEntries(entries).map((row) => [describeRow(row), moreReads(row)]);
  const read = (action: string, patients = [ADA], count = patients.length) =>
    auditEntry({ action, patients, patient_count: count });
  expect(textOf([read('patients.get')])).toEqual([['opened the chart of Ada Example', null]]);
  expect(textOf([read('notes.list'), read('patients.get')])).toEqual([
    ['opened the chart of Ada Example', 'and 1 more read'],
  ]);
  const GRACE = { id: '2', name: 'Grace Example' };
  expect(textOf([read('tasks.list'), read('appointments.list', [ADA, GRACE])])).toEqual([
    ['saw 2 patients in lists', '(2 reads)'],
  ]);
  expect(textOf([read('tasks.list', []), read('patients.list', [ADA, GRACE], 50)])).toEqual([
    ['saw at least 50 patients in lists', '(2 reads)'],
  ]);
  expect(textOf([read('tasks.list', []), read('patients.list', [])])).toEqual([
    ['saw lists without a patient', '(2 reads)'],
  ]);
});
