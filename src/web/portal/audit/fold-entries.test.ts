import { expect, test } from 'vitest';
import type { AuditEntryView } from '#contract/audit.ts';
import { auditEntry } from '#dev/testing/audit-entry.ts';
import { foldEntries } from './fold-entries.ts';

const ADA = { id: '1', name: 'Ada Example' };
const GRACE = { id: '2', name: 'Grace Example' };
const START = Date.parse('2026-11-21T12:00:00.000Z');

/** An entry so many milliseconds after the start, of a request of its own unless it is named. */
const at = (ms: number, action: string, overrides: Partial<AuditEntryView> = {}) =>
  auditEntry({ at: new Date(START + ms).toISOString(), action, request_id: `at-${ms}`, ...overrides });
/** Folds entries given in the order in which they were written; returns the rows' actions, by their latest entries. */
const fold = (entries: AuditEntryView[]) =>
  foldEntries(entries.toReversed())
    .reverse()
    .map((row) => row.entries.map(({ action }) => action).reverse());

const opening = (ms: number, overrides: Partial<AuditEntryView> = {}) => [
  at(ms, 'patients.get', overrides),
  at(ms + 170, 'subscriptions.list', { request_id: `page-${ms}`, ...overrides }),
  at(ms + 190, 'tasks.list', { request_id: `page-${ms}`, ...overrides }),
  at(ms + 230, 'notes.list', { request_id: `page-${ms}`, ...overrides }),
  at(ms + 310, 'cards.list', overrides),
];
const sizes = (entries: AuditEntryView[]) => fold(entries).map((row) => row.length);

test('an opened chart is one row, which is named after the opening', () => {
  const entries = opening(0).toReversed();
  const [row, ...others] = foldEntries(entries);
  expect(others).toEqual([]);
  expect(row).toMatchObject({ id: entries[0]?.id, lead: { action: 'patients.get' }, lists: null });
  expect(row?.entries).toEqual(entries);
});

test('the chart opened twice is two rows', () => {
  expect(sizes([...opening(0), ...opening(1000)])).toEqual([5, 5]);
});

test('what was read before the chart was opened is no part of it', () => {
  const found = at(0, 'patients.list', { patients: [ADA] });
  expect(sizes([found, ...opening(300)])).toEqual([1, 5]);
});

test('a list in the request that opened the chart is part of it', () => {
  expect(sizes([at(0, 'tasks.list', { request_id: 'one' }), at(1, 'patients.get', { request_id: 'one' })])).toEqual([
    2,
  ]);
});

test('an appointment is named before lists and the timeline', () => {
  const entries = [
    at(0, 'timeline.list'),
    at(5, 'appointments.list'),
    at(10, 'appointments.get'),
    at(20, 'notes.list'),
  ];
  expect(foldEntries(entries.toReversed())).toMatchObject([{ lead: { action: 'appointments.get' } }]);
});

test('entries of others in between do not end a row', () => {
  const other = { actor: { type: 'Staff', id: 'sam', name: 'Sam Example' } } as const;
  const [first, ...rest] = opening(0);
  expect(sizes([first!, at(100, 'patients.update', other), at(120, 'notes.list', other), ...rest])).toEqual([1, 1, 5]);
});

test.each<[string, Partial<AuditEntryView>]>([
  ['actor', { actor: { type: 'Practitioner', id: 'sam', name: 'Sam Example' } }],
  ['patient', { patients: [GRACE], patient_count: 1 }],
  ['device', { device: 'Safari on iPhone' }],
  ['address', { address: '192.0.2.8' }],
  ['patient acted for', { on_behalf_of: ADA }],
])('reads of another %s have their own row', (_, overrides) => {
  expect(sizes([...opening(0), at(400, 'notes.list', overrides)])).toEqual([5, 1]);
});

test('changes, refused reads and reads of the log have their own row', () => {
  for (const [action, outcome] of [
    ['patients.update', 'done'],
    ['patients.export', 'done'],
    ['notes.list', 'forbidden'],
    ['audit.list', 'done'],
    ['letters.list', 'done'],
  ] as const)
    expect([action, sizes([...opening(0), at(400, action, { outcome })])]).toEqual([action, [5, 1]]);
});

test('a change about the patient in between ends a row, one about another patient does not', () => {
  const entries = (about: typeof ADA) => [
    ...opening(0),
    at(400, 'patients.update', { patients: [about] }),
    at(500, 'timeline.list'),
  ];
  expect(fold(entries(ADA)).map((row) => row.at(-1))).toEqual(['cards.list', 'patients.update', 'timeline.list']);
  expect(fold(entries(GRACE))).toHaveLength(2);
});

test('a pause of more than five seconds ends a row, and so do thirty seconds', () => {
  const reads = (...times: number[]) => sizes(times.map((ms) => at(ms, 'notes.list')));
  expect(reads(0, 5000)).toEqual([2]);
  expect(reads(0, 5001)).toEqual([1, 1]);
  expect(reads(...Array.from({ length: 8 }, (_, n) => n * 5000))).toEqual([1, 7]);
});

test('the lists of one page are one row with the number of their patients', () => {
  const page = { request_id: 'today' };
  const entries = [
    at(0, 'subscriptions.list', { ...page, patients: [GRACE] }),
    at(10, 'appointments.list', { ...page, patients: [] }),
    at(20, 'tasks.list', { ...page, patients: [ADA, GRACE] }),
    at(200, 'patients.list', { patients: [ADA] }),
  ].toReversed();
  expect(foldEntries(entries)).toMatchObject([{ entries, lists: { patients: 2, isAtLeast: false } }]);
});

test('lists that show more patients than an entry names count at least as many', () => {
  const entries = [at(0, 'tasks.list', { patients: [ADA, GRACE] }), at(9, 'patients.list', { patient_count: 50 })];
  expect(foldEntries(entries.toReversed())).toMatchObject([{ lists: { patients: 50, isAtLeast: true } }]);
});

test('lists a moment later, and each list of a program, have their own row', () => {
  const lists = (gap: number, overrides: Partial<AuditEntryView> = {}) =>
    sizes([0, gap].map((ms) => at(ms, 'patients.list', { patients: [ADA, GRACE], ...overrides })));
  expect(lists(2000)).toEqual([2]);
  expect(lists(2001)).toEqual([1, 1]);
  expect(lists(10, { actor: { type: 'Application', id: 'app', name: 'Booking' } })).toEqual([1, 1]);
});

test('lists that showed one patient each are about them', () => {
  expect(sizes([at(0, 'tasks.list', { patients: [ADA] }), at(10, 'tasks.list', { patients: [GRACE] })])).toEqual([
    1, 1,
  ]);
});

test('rows keep their ids and only grow at the end when older entries are loaded', () => {
  const entries = [
    ...opening(0),
    at(900, 'patients.update'),
    ...opening(1000),
    ...opening(20_000, { patients: [GRACE] }),
  ];
  const all = entries.toReversed();
  const whole = foldEntries(all);
  for (let loaded = 1; loaded <= all.length; loaded += 1) {
    const rows = foldEntries(all.slice(0, loaded));
    expect(rows.map(({ id }) => id)).toEqual(whole.slice(0, rows.length).map(({ id }) => id));
    expect(rows.flatMap((row) => row.entries)).toHaveLength(loaded);
  }
});
