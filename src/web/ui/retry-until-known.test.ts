import { expect, test, vi } from 'vitest';
import { createApiError } from './api-errors.ts';
import { retryUntilKnown } from './retry-until-known.ts';

const CHECKING_MESSAGE = 'We are checking with Acuity whether the appointment is booked.';
const unknown = () =>
  Object.assign(new Error('504'), {
    data: {
      errors: [
        { code: 'provider_timeout', title: 'x', detail: 'x', people: CHECKING_MESSAGE, meta: { outcome: 'unknown' } },
      ],
    },
  });
const connectionLost = () => new TypeError('fetch failed');

/** A call that returns the given values in turn; an error rejects. */
function callReturning(...results: unknown[]) {
  return vi.fn(async () => {
    const result = results.shift();
    if (result instanceof Error) throw result;
    return result;
  });
}
const fakeOptions = () => ({ pause: vi.fn(async () => {}), onChecking: vi.fn() });

test('calls once and shows nothing when the outcome is known at once', async () => {
  const [call, options] = [callReturning('booked'), fakeOptions()];
  expect(await retryUntilKnown(call, options)).toBe('booked');
  expect(call).toHaveBeenCalledOnce();
  expect(options.onChecking.mock.calls).toEqual([[null]]);
});

test('repeats the call until the outcome is known, and reports the status', async () => {
  const [call, options] = [callReturning(unknown(), unknown(), 'booked'), fakeOptions()];
  expect(await retryUntilKnown(call, options)).toBe('booked');
  expect(call).toHaveBeenCalledTimes(3);
  expect(options.onChecking.mock.calls).toEqual([[CHECKING_MESSAGE], [CHECKING_MESSAGE], [null]]);
});

test('continues when the connection is lost while the outcome is unknown', async () => {
  const [call, options] = [
    callReturning(unknown(), connectionLost(), createApiError('conflict', 'Being booked.'), 'booked'),
    fakeOptions(),
  ];
  expect(await retryUntilKnown(call, options)).toBe('booked');
});

test('stops at a final error, and at a connection that never worked', async () => {
  await expect(
    retryUntilKnown(callReturning(unknown(), createApiError('slot_taken', 'Taken.')), fakeOptions()),
  ).rejects.toThrow('Taken.');
  const call = callReturning(connectionLost(), 'booked');
  await expect(retryUntilKnown(call, fakeOptions())).rejects.toThrow('fetch failed');
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
