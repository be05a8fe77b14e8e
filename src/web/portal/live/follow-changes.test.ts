import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { batchChanges, type Changes, type Outdated } from './follow-changes.ts';

class StubbedDocument extends EventTarget {
  visibilityState: DocumentVisibilityState = 'visible';
  turn(state: DocumentVisibilityState): void {
    this.visibilityState = state;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}
let page: StubbedDocument;
let refreshed: Outdated[][];
let batch: ReturnType<typeof batchChanges>;
beforeEach(() => {
  vi.useFakeTimers();
  page = new StubbedDocument();
  vi.stubGlobal('document', page);
  refreshed = [];
  batch = batchChanges((outdated) => void refreshed.push([...outdated].sort()));
});
afterEach(() => {
  batch.stop();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
const changes = (...types: Outdated[]) => types.map((type) => ({ type, id: type })) as unknown as Changes;

test('refreshes at once while the page is visible', () => {
  batch.add(changes('visit', 'patient'));
  vi.advanceTimersByTime(100);
  expect(refreshed).toEqual([['events', 'patient', 'visit']]);
});

test('refreshes video visits at once in a hidden tab, and everything else once it is visible', () => {
  page.turn('hidden');
  batch.add(changes('visit', 'patient'));
  vi.advanceTimersByTime(100);
  expect(refreshed).toEqual([['visit']]);
  vi.advanceTimersByTime(60_000);
  expect(refreshed).toHaveLength(1);
  page.turn('visible');
  expect(refreshed.slice(1)).toEqual([['events', 'patient']]);
});

test('does not refresh a hidden tab for changes other than video visits', () => {
  page.turn('hidden');
  batch.add(changes('appointment'));
  vi.advanceTimersByTime(60_000);
  expect(refreshed).toEqual([]);
});

test('refreshes everything, notes as well, when two records were merged', () => {
  batch.add([{ type: 'patient', topic: 'merged', object_id: 'kept', patient_id: 'kept' }]);
  vi.advanceTimersByTime(100);
  expect(refreshed[0]).toEqual(expect.arrayContaining(['appointment', 'note', 'patient', 'subscription', 'task']));
});
