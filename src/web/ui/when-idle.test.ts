import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { whenIdle } from './when-idle.ts';

afterEach(() => vi.unstubAllGlobals());

test('ignores an error of the work', async () => {
  let calls = 0;
  const requestIdleCallback = (work: () => unknown) => {
    // Like a browser, it ignores the returned promise.
    work();
    return 1;
  };
  vi.stubGlobal('window', { requestIdleCallback });
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', onRejection);
  for (const work of [() => Promise.reject(new Error('no connection')), () => Promise.resolve()])
    whenIdle(() => {
      calls += 1;
      return work();
    });
  await pause(10);
  process.off('unhandledRejection', onRejection);
  expect([calls, rejections]).toEqual([2, []]);
});
