import { expect, test, vi } from 'vitest';
import { createApiError } from './api-errors.ts';
import { retryUntilKnown } from './retry-until-known.ts';

const WORDS = 'We are checking with Acuity whether the appointment is booked.';
const unknown = () =>
  Object.assign(new Error('504'), {
    data: {
      errors: [{ code: 'provider_timeout', title: 'x', detail: 'x', people: WORDS, meta: { outcome: 'unknown' } }],
    },
  });
const lost = () => new TypeError('fetch failed');

/** A call that returns the given values in turn; an error rejects. */
function callThat(...answers: unknown[]) {
  return vi.fn(async () => {
    const next = answers.shift();
    if (next instanceof Error) throw next;
    return next;
  });
}
const quick = () => ({ pause: vi.fn(async () => {}), onChecking: vi.fn() });

test('calls once and shows nothing when the outcome is known at once', async () => {
  const [call, checking] = [callThat('booked'), quick()];
  expect(await retryUntilKnown(call, checking)).toBe('booked');
  expect(call).toHaveBeenCalledOnce();
  expect(checking.onChecking.mock.calls).toEqual([[null]]);
});

test('repeats the call until the outcome is known, and reports the status', async () => {
  const [call, checking] = [callThat(unknown(), unknown(), 'booked'), quick()];
  expect(await retryUntilKnown(call, checking)).toBe('booked');
  expect(call).toHaveBeenCalledTimes(3);
  expect(checking.onChecking.mock.calls).toEqual([[WORDS], [WORDS], [null]]);
});

test('continues when the connection is lost while the outcome is unknown', async () => {
  const [call, checking] = [
    callThat(unknown(), lost(), createApiError('conflict', 'Being booked.'), 'booked'),
    quick(),
  ];
  expect(await retryUntilKnown(call, checking)).toBe('booked');
});

test('stops at a final error, and at a connection that never worked', async () => {
  await expect(retryUntilKnown(callThat(unknown(), createApiError('slot_taken', 'Taken.')), quick())).rejects.toThrow(
    'Taken.',
  );
  const call = callThat(lost(), 'booked');
  await expect(retryUntilKnown(call, quick())).rejects.toThrow('fetch failed');
  expect(call).toHaveBeenCalledOnce();
});

test('gives up after three minutes', async () => {
  let time = 0;
  const pause = async (ms: number) => {
    time += ms;
  };
  const call = vi.fn(async () => Promise.reject(unknown()));
  await expect(retryUntilKnown(call, { pause, now: () => time })).rejects.toThrow('It is still not known');
  expect(time).toBeGreaterThanOrEqual(180_000);
  expect(time).toBeLessThan(200_000);
});
