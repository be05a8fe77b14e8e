import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { dismissToast, readToasts, runToastAction, subscribeToToasts, toast } from './toast.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
});

test('shows a toast, notifies subscribers, and removes it after a timeout', () => {
  const listener = vi.fn();
  const stop = subscribeToToasts(listener);
  toast.success('Appointment booked', { description: 'Monday' });
  expect(readToasts()).toMatchObject([{ tone: 'success', title: 'Appointment booked', description: 'Monday' }]);
  vi.advanceTimersByTime(5000);
  expect(readToasts()).toEqual([]);
  expect(listener).toHaveBeenCalledTimes(2);
  stop();
});

test('dismisses a toast, and shows only the latest three', () => {
  for (const title of ['a', 'b', 'c', 'd']) toast.error(title);
  expect(readToasts().map(({ title }) => title)).toEqual(['b', 'c', 'd']);
  dismissToast(readToasts()[0]!.id);
  expect(readToasts().map(({ title }) => title)).toEqual(['c', 'd']);
});

test('shows a toast with an action for ten seconds, and runs the action once', () => {
  const run = vi.fn();
  toast.success('Appointment moved', { action: { label: 'Undo', run } });
  vi.advanceTimersByTime(9_999);
  const { id } = readToasts()[0]!;
  runToastAction(id);
  runToastAction(id);
  expect(run).toHaveBeenCalledTimes(1);
  expect(readToasts()).toEqual([]);
  toast.success('Appointment moved', { action: { label: 'Undo', run } });
  vi.advanceTimersByTime(10_000);
  expect(readToasts()).toEqual([]);
});
