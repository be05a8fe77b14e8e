import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { exclusive } from './exclusive.ts';
import { watchTabs } from './tabs.ts';
import { memoryStorage } from './vault.ts';

const later = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Runs the given number at once and tells how many were ever at work together. */
async function mostTogether(count: number, name: string): Promise<number> {
  let [working, most] = [0, 0];
  const work = async () => {
    most = Math.max(most, ++working);
    await later(5);
    working--;
  };
  await Promise.all(Array.from({ length: count }, () => exclusive(name, work)));
  return most;
}

describe('between tabs', () => {
  let page: EventTarget & { localStorage: ReturnType<typeof memoryStorage> };
  beforeEach(() => {
    page = Object.assign(new EventTarget(), { localStorage: memoryStorage() });
    vi.stubGlobal('window', page);
  });
  afterEach(() => vi.unstubAllGlobals());

  test('a sign-out is heard by the others, once they no longer listen not', async () => {
    const forgot = vi.fn();
    const heard = vi.fn();
    const here = watchTabs('key-1', () => undefined);
    const stop = watchTabs('key-1', forgot).listen(heard);
    here.announce('signed_in');
    await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(1));
    expect(forgot).not.toHaveBeenCalled();
    here.announce('signed_out');
    await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(2));
    expect(forgot).toHaveBeenCalledTimes(1);
    stop();
    here.announce('signed_out');
    await vi.waitFor(() => expect(forgot).toHaveBeenCalledTimes(2));
    expect(heard).toHaveBeenCalledTimes(2);
  });

  test('without BroadcastChannel the storage event tells', () => {
    vi.stubGlobal('BroadcastChannel', undefined);
    const heard = vi.fn();
    watchTabs('key-2', () => undefined).listen(heard);
    for (const key of ['other', 'key-2', null]) page.dispatchEvent(Object.assign(new Event('storage'), { key }));
    expect(heard).toHaveBeenCalledTimes(2);
  });

  test('one works at a time by Web Locks', async () => {
    const queues = new Map<string, Promise<unknown>>();
    const request = (name: string, _: object, work: () => Promise<unknown>) => {
      const turn = (queues.get(name) ?? Promise.resolve()).then(work);
      queues.set(name, turn);
      return turn;
    };
    vi.stubGlobal('navigator', { locks: { request } });
    expect(await mostTogether(10, 'a')).toBe(1);
  });

  test('a lock that is never given is not waited for without end', async () => {
    vi.useFakeTimers();
    const request = (_: string, { signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    vi.stubGlobal('navigator', { locks: { request } });
    const result = exclusive('a', async () => 'done');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await result).toBe('done');
    vi.useRealTimers();
  });

  test('one works at a time by a lease in localStorage where there are no locks', async () => {
    vi.stubGlobal('navigator', {});
    expect(await mostTogether(3, 'b')).toBe(1);
    expect(page.localStorage.getItem('b.lease')).toBeNull();
  });

  test('a lease that somebody left behind runs out', async () => {
    vi.stubGlobal('navigator', {});
    page.localStorage.setItem('c.lease', `gone ${Date.now() + 100}`);
    const started = Date.now();
    expect(await exclusive('c', async () => 'done')).toBe('done');
    expect(Date.now() - started).toBeGreaterThanOrEqual(95);
  });

  test('work that fails fails as itself, and gives the turn back', async () => {
    vi.stubGlobal('navigator', {});
    const failing = () => Promise.reject(new Error('mine'));
    await expect(exclusive('d', failing)).rejects.toThrow('mine');
    expect(await exclusive('d', async () => 'next')).toBe('next');
  });
});
