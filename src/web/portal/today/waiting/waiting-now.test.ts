import { expect, test } from 'vitest';
import type { WaitingView } from '#contract/visits.ts';
import { createArrivalTracker, pollIntervalMs, waitingFor } from './waiting-now.tsx';

const waiting = (appointment_id: string, waiting_since = '2027-03-01T14:50:00Z', more: Partial<WaitingView> = {}) =>
  ({ appointment_id, waiting_since, practitioner_id: 'rowan', ...more }) as WaitingView;
const ids = (all: WaitingView[]) => all.map(({ appointment_id }) => appointment_id);

test('announces each patient who arrives after the page was opened, once', () => {
  const arrivals = createArrivalTracker();
  expect(arrivals([waiting('a')])).toEqual([]);
  expect(ids(arrivals([waiting('a'), waiting('b')]))).toEqual(['b']);
  expect(arrivals([waiting('a'), waiting('b')])).toEqual([]);
});

test('announces a patient who arrives at an empty list', () => {
  const arrivals = createArrivalTracker();
  arrivals([]);
  expect(ids(arrivals([waiting('a')]))).toEqual(['a']);
});

test('announces a patient again who was admitted or left, and waits again', () => {
  const arrivals = createArrivalTracker();
  arrivals([waiting('a')]);
  arrivals([]);
  expect(ids(arrivals([waiting('a', '2027-03-01T15:02:00Z')]))).toEqual(['a']);
  expect(ids(arrivals([waiting('a', '2027-03-01T15:05:00Z')]))).toEqual(['a']);
});

test('notifies a practitioner of their own and of unassigned patients, and an admin of all', () => {
  const all = [
    waiting('a'),
    waiting('b', undefined, { practitioner_id: 'alder' }),
    waiting('c', undefined, { practitioner_id: null }),
  ];
  expect(ids(waitingFor(all, { id: 'rowan', role: 'practitioner' }))).toEqual(['a', 'c']);
  expect(ids(waitingFor(all, { id: 'rowan', role: 'admin' }))).toEqual(['a', 'b', 'c']);
});

test.each([
  [undefined, 20_000],
  [[], 20_000],
  [['a patient'], 10_000],
])('with %j waiting, polls again after %i ms', (waiting, ms) => {
  expect(pollIntervalMs(waiting)).toBe(ms);
});
