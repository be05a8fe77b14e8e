import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AUDIT_ACTIONS } from '#contract/audit-actions.ts';
import { EVENT_TOPICS } from '#contract/event-types.ts';
import {
  describeChange,
  GENERIC_ACTIONS,
  HIDDEN_ACTIONS,
  nameOf,
  TIMELINE_NAMES,
  TIMELINE_SECTIONS,
} from '#server/chart/describe-change.ts';
import {
  HIDDEN_ACTIONS_BY_REASON,
  HIDDEN_EVENTS,
  TENANT_ACTION_PREFIXES,
} from '#server/chart/timeline/hidden-actions.ts';

const EVENTS = Object.entries(EVENT_TOPICS).flatMap(([type, topics]) => topics.map((topic) => `${type}.${topic}`));
const isOfNoPatient = (action: string) => TENANT_ACTION_PREFIXES.some((kind) => action.startsWith(`${kind}.`));

test('every action of the audit log has a timeline entry, or a reason why not', () => {
  const open = AUDIT_ACTIONS.filter(
    (action) => !TIMELINE_NAMES.includes(action) && !HIDDEN_ACTIONS.includes(action) && !isOfNoPatient(action),
  );
  expect(open).toEqual([]);
});

test('every event has a timeline entry, or a reason why not', () => {
  expect(EVENTS.filter((event) => !TIMELINE_NAMES.includes(event) && !HIDDEN_EVENTS[event])).toEqual([]);
});

test('no name is listed twice, or both included and excluded', () => {
  expect(TIMELINE_NAMES.filter((name, place) => TIMELINE_NAMES.indexOf(name) !== place)).toEqual([]);
  expect(TIMELINE_NAMES.filter((name) => HIDDEN_ACTIONS.includes(name))).toEqual([]);
  expect(Object.keys(HIDDEN_ACTIONS_BY_REASON).every((reason) => reason.length > 10)).toBe(true);
});

test('an entry describes the change in words, with field names and without values', () => {
  const labelOf = (action: string, event: string | null = null, details: object = {}) =>
    describeChange({ action, event, details: { ...details } });
  expect(labelOf('patients.update', 'patient.updated', { changed: ['first_name', 'phones'] })).toEqual({
    kind: 'record',
    title: 'Details were changed',
    note: 'First name, phones',
  });
  expect(labelOf('patients.update', null, { changed: [] }).title).toBe('Details were saved without a change');
  expect(labelOf('subscriptions.sync', 'subscription.payment_failed').title).toBe('A payment failed');
  expect(
    labelOf('subscriptions.sync', 'subscription.payment_failed', { attempt: 2, reason: 'insufficient_funds' }),
  ).toMatchObject({
    title: 'A payment was tried again and failed',
    note: 'Because there is not enough money in the account',
  });
  expect(labelOf('subscriptions.sync', 'subscription.payment_failed', { reason: 'no_such_code' }).note).toBe(
    'Because the bank refused it',
  );
  const card = { changed: ['pendingSetupIntent', 'paymentMethod'] };
  expect(labelOf('subscriptions.sync', 'subscription.updated', card).title).toBe('A card was saved');
  expect(labelOf('subscriptions.update', 'subscription.updated', { trial: 'moved' }).title).toBe(
    'The end of a trial was changed',
  );
  expect(labelOf('subscriptions.sync', 'subscription.updated', { changed: ['latestInvoice'] }).note).toBe(
    'Latest invoice',
  );
  const updated = (details: object) => labelOf('appointments.update', 'appointment.changed', details).title;
  expect(updated({ status: 'no_show' })).toMatch(/did not come to an/);
  expect(updated({ status: 'scheduled' })).toBe('An appointment was changed');
  expect(updated({ status: 'scheduled', mark: 'checked_in' })).toMatch(/checked in/);
  expect(updated({ status: 'scheduled', mark: 'no_show', undone: true })).toMatch(/Did not come” was undone/);
  expect(labelOf('sessions.end', null, { reason: 'archived' }).title).toMatch(/record was archived/);
  expect(labelOf('patients.end_care', null, { visits: 2, subscriptions: 1 }).note).toBe(
    '2 appointments and 1 subscription to be ended',
  );
});

test('an unknown action gets a generic entry, by its event if it has one', () => {
  const plain = (action: string, event: string | null) => describeChange({ action, event, details: {} });
  expect(plain('letters.send_by_post', null)).toEqual({ kind: 'other', title: 'Letters: send by post', note: null });
  expect(plain('letters.send', 'letter.sent').title).toBe('Letter: sent');
  expect(GENERIC_ACTIONS.map((action) => nameOf({ action, event: 'letter.sent' }))).toEqual(
    GENERIC_ACTIONS.map(() => 'letter.sent'),
  );
});

test('each timeline section has its own file', () => {
  const folder = 'src/server/chart/timeline';
  const files = readdirSync(folder).filter((file) =>
    /: TimelineSection = /.test(readFileSync(`${folder}/${file}`, 'utf8')),
  );
  expect(files).toHaveLength(TIMELINE_SECTIONS.length);
});

test('events are written only together with an audit entry', () => {
  const writers = readdirSync('src/server', { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') &&
      !file.includes('.test.') &&
      /\bevent\.create\b|into events\b/.test(readFileSync(`src/server/${file}`, 'utf8')),
  );
  expect(writers).toEqual(['core/record.ts']);
});
