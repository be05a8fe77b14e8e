import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { watchTabs } from './client.ts';
import { exclusive } from './refresh.ts';
import { memoryStorage } from './vault.ts';

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Starts `count` tasks at once and returns the maximum number that ran at the same time. */
async function maxConcurrent(count: number, name: string): Promise<number> {
  let [running, maxRunning] = [0, 0];
  const work = async () => {
    maxRunning = Math.max(maxRunning, ++running);
    await sleep(5);
    running--;
  };
  await Promise.all(Array.from({ length: count }, () => exclusive(name, work)));
  return maxRunning;
}

describe('between tabs', () => {
  let page: EventTarget & { localStorage: ReturnType<typeof memoryStorage> };
  beforeEach(() => {
    page = Object.assign(new EventTarget(), { localStorage: memoryStorage() });
    vi.stubGlobal('window', page);
  });
  afterEach(() => vi.unstubAllGlobals());

  test('a sign-out reaches other tabs, and no listeners that were removed', async () => {
    const onSignOut = vi.fn();
    const listener = vi.fn();
    const tab = watchTabs('key-1', () => undefined);
    const stop = watchTabs('key-1', onSignOut).listen(listener);
    tab.announce('signed_in');
    await vi.waitFor(() => expect(listener).toHaveBeenCalledTimes(1));
    expect(onSignOut).not.toHaveBeenCalled();
    tab.announce('signed_out');
    await vi.waitFor(() => expect(listener).toHaveBeenCalledTimes(2));
    expect(onSignOut).toHaveBeenCalledTimes(1);
    stop();
    tab.announce('signed_out');
    await vi.waitFor(() => expect(onSignOut).toHaveBeenCalledTimes(2));
    expect(listener).toHaveBeenCalledTimes(2);
  });

  test('uses the storage event without BroadcastChannel', () => {
    vi.stubGlobal('BroadcastChannel', undefined);
    const listener = vi.fn();
    watchTabs('key-2', () => undefined).listen(listener);
    for (const key of ['other', 'key-2', null]) page.dispatchEvent(Object.assign(new Event('storage'), { key }));
    expect(listener).toHaveBeenCalledTimes(2);
  });

  test('Web Locks allow one task at a time', async () => {
    const queues = new Map<string, Promise<unknown>>();
    const request = (name: string, _: object, work: () => Promise<unknown>) => {
      const result = (queues.get(name) ?? Promise.resolve()).then(work);
      queues.set(name, result);
      return result;
    };
    vi.stubGlobal('navigator', { locks: { request } });
    expect(await maxConcurrent(10, 'a')).toBe(1);
  });

  test('does not wait forever for a lock that is never granted', async () => {
    vi.useFakeTimers();
    const request = (_: string, { signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    vi.stubGlobal('navigator', { locks: { request } });
    const result = exclusive('a', async () => 'done');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await result).toBe('done');
    vi.useRealTimers();
  });

  test('a lease in localStorage allows one task at a time without Web Locks', async () => {
    vi.stubGlobal('navigator', {});
    expect(await maxConcurrent(3, 'b')).toBe(1);
    expect(page.localStorage.getItem('b.lease')).toBeNull();
  });

  test('an abandoned lease expires', async () => {
    vi.stubGlobal('navigator', {});
    page.localStorage.setItem('c.lease', `gone ${Date.now() + 100}`);
    const started = Date.now();
    expect(await exclusive('c', async () => 'done')).toBe('done');
    expect(Date.now() - started).toBeGreaterThanOrEqual(95);
  });

  test('a failed task throws its own error and releases the lease', async () => {
    vi.stubGlobal('navigator', {});
    const failing = () => Promise.reject(new Error('mine'));
    await expect(exclusive('d', failing)).rejects.toThrow('mine');
    expect(await exclusive('d', async () => 'next')).toBe('next');
  });
});
