import { expect, test } from 'vitest';
import type { WaitingView } from '#contract/visits.ts';
import { callsFor, createArrivals } from './arrivals.ts';

const waiting = (appointment_id: string, waiting_since = '2027-03-01T14:50:00Z', more: Partial<WaitingView> = {}) =>
  ({ appointment_id, waiting_since, practitioner_id: 'rowan', ...more }) as WaitingView;
const ids = (all: WaitingView[]) => all.map(({ appointment_id }) => appointment_id);

test('whoever waits when the page is opened is shown, not announced; whoever comes then is, once', () => {
  const arrivals = createArrivals();
  expect(arrivals([waiting('a')])).toEqual([]);
  expect(ids(arrivals([waiting('a'), waiting('b')]))).toEqual(['b']);
  expect(arrivals([waiting('a'), waiting('b')])).toEqual([]);
});

test('who comes to an empty page is announced', () => {
  const arrivals = createArrivals();
  arrivals([]);
  expect(ids(arrivals([waiting('a')]))).toEqual(['a']);
});

test('who was let in, or has gone, and sits down again is announced anew', () => {
  const arrivals = createArrivals();
  arrivals([waiting('a')]);
  arrivals([]);
  expect(ids(arrivals([waiting('a', '2027-03-01T15:02:00Z')]))).toEqual(['a']);
  expect(ids(arrivals([waiting('a', '2027-03-01T15:05:00Z')]))).toEqual(['a']);
});

test('a practitioner is called for their own and for nobody’s, an administrator for all', () => {
  const all = [
    waiting('a'),
    waiting('b', undefined, { practitioner_id: 'alder' }),
    waiting('c', undefined, { practitioner_id: null }),
  ];
  expect(ids(callsFor(all, { id: 'rowan', role: 'practitioner' }))).toEqual(['a', 'c']);
  expect(ids(callsFor(all, { id: 'rowan', role: 'admin' }))).toEqual(['a', 'b', 'c']);
});
