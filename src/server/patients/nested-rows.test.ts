import { expect, test } from 'vitest';
import { type NestedChange, parsePhoneNumber, planNestedRows } from './nested-rows.ts';

type Row = { id: string; primary: boolean; active: boolean; label: string | null };
const row = (id: string, values: Partial<Row> = {}): Row => ({
  id,
  primary: false,
  active: true,
  label: null,
  ...values,
});

function plan(existing: Row[], attributes: NestedChange<Row>['attributes'][]) {
  let count = 0;
  const changes = attributes.map((attributes, index) => ({ pointer: `/rows/${index}`, attributes }));
  return planNestedRows('row', existing, changes, () => row(`new${++count}`));
}
const primaries = (rows: Row[]) => rows.filter((one) => one.primary).map((one) => one.id);
const pointers = (result: ReturnType<typeof plan>) =>
  result.faults.map((fault) => Object.values(fault.source ?? {})[0]);

test('the first new row becomes primary when none is marked', () => {
  expect(primaries(plan([], [{ label: 'a' }, { label: 'b' }]).rows)).toEqual(['new1']);
});

test('a row marked as not primary or inactive does not become primary automatically', () => {
  expect(primaries(plan([], [{ primary: false }, { active: false }, {}]).rows)).toEqual(['new3']);
});

test('marking a row as primary un-marks the other, which is written first', () => {
  const result = plan([row('a', { primary: true }), row('b')], [{ id: 'b', primary: true }]);
  expect(primaries(result.rows)).toEqual(['b']);
  expect(result.unprimed).toEqual(['a']);
});

test('a new row does not replace the primary one', () => {
  expect(primaries(plan([row('a', { primary: true })], [{}]).rows)).toEqual(['a']);
});

test('an edit changes only the given fields', () => {
  const [changed] = plan([row('a', { label: 'home', primary: true })], [{ id: 'a', active: true }]).changed;
  expect(changed).toEqual(row('a', { label: 'home', primary: true }));
});

test('_destroy deletes a row, and no other row becomes primary', () => {
  const result = plan([row('a', { primary: true }), row('b')], [{ id: 'a', _destroy: true }]);
  expect(result.dropped).toEqual(['a']);
  expect(primaries(result.rows)).toEqual([]);
});

test('rejects the second of two primary rows', () => {
  expect(pointers(plan([], [{ primary: true }, { primary: true }]))).toEqual(['/rows/1/primary']);
});

test('rejects an unknown id, a duplicate id and _destroy without an id, with a pointer to each', () => {
  const result = plan([row('a')], [{ id: 'zz' }, { id: 'a' }, { id: 'a', _destroy: true }, { _destroy: true }]);
  expect(pointers(result)).toEqual(['/rows/0/id', '/rows/2/id', '/rows/3/id']);
});

test('a patient has at most twenty rows', () => {
  const existing = Array.from({ length: 20 }, (_, index) => row(`r${index}`));
  expect(plan(existing, [{}]).faults).toHaveLength(1);
  expect(plan(existing, [{ id: 'r0', _destroy: true }, {}]).faults).toHaveLength(0);
});

test.each(['(202) 555-0123', '202.555.0123', '1 202 555 0123', '+1 202-555-0123', '2025550123'])(
  'parses the United States number %s without its country code',
  (spelling) => expect(parsePhoneNumber(spelling)).toBe('+12025550123'),
);

test('parses a number of another country with its country code', () => {
  expect(parsePhoneNumber('+44 20 7946 0958')).toBe('+442079460958');
});

test.each([
  '',
  '12',
  '555-0123',
  'call 202 555 0123 now',
  '+1 111 111 1111',
  '+999 123 456 789',
  '202 555 0123 ext. 4',
])('rejects %j', (text) => expect(parsePhoneNumber(text)).toBeNull());
