import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { whenIdle } from './when-idle.ts';

afterEach(() => vi.unstubAllGlobals());

test('what fails while nobody waits for it goes no further', async () => {
  let asked = 0;
  const requestIdleCallback = (work: () => unknown) => {
    // As a browser does, which ignores what comes of it.
    work();
    return 1;
  };
  vi.stubGlobal('window', { requestIdleCallback });
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => unheard.push(reason);
  process.on('unhandledRejection', hear);
  for (const work of [() => Promise.reject(new Error('no connection')), () => Promise.resolve()])
    whenIdle(() => {
      asked += 1;
      return work();
    });
  await pause(10);
  process.off('unhandledRejection', hear);
  expect([asked, unheard]).toEqual([2, []]);
});
