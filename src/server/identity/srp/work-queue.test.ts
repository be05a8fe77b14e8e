import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWorkQueue, runQueued } from './work-queue.ts';

/** Work that stays pending until `end` is called. */
function pendingWork() {
  let end = () => {};
  const until = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => until, end };
}

test('limits the concurrency, runs work in order of arrival, and frees the slot after a failure', async () => {
  const queue = createWorkQueue({ concurrency: 3, maxWaiting: 100 });
  const began: number[] = [];
  let running = 0;
  let most = 0;
  const results = Array.from({ length: 20 }, (_, index) =>
    queue.run(async () => {
      began.push(index);
      most = Math.max(most, ++running);
      await nextTurn();
      running -= 1;
      if (index % 4 === 0) throw new Error(`${index}`);
      return index;
    }),
  );
  const settled = await Promise.allSettled(results);
  expect(most).toBe(3);
  expect(began).toEqual(began.map((_, index) => index));
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(5);
  expect(await queue.run(async () => 'later')).toBe('later');
});

test('limits each queue, rejects further work with a retry time, and runs the priority queue first', async () => {
  const queue = createWorkQueue({ concurrency: 1, maxWaiting: 2 });
  const { work, end } = pendingWork();
  const served: string[] = [];
  const enqueue = (name: string, inFront: boolean) =>
    runQueued(
      queue,
      async () => served.push(name),
      async () => inFront,
    );
  const first = runQueued(queue, work);
  const behind = [enqueue('unknown 1', false), enqueue('unknown 2', false)];
  await nextTurn();
  const busy = { code: 'service_busy', status: 503, headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) } };
  await expect(enqueue('unknown 3', false)).rejects.toMatchObject(busy);
  const inFront = [enqueue('known 1', true), enqueue('known 2', true)];
  await nextTurn();
  await expect(enqueue('known 3', true)).rejects.toMatchObject(busy);
  end();
  await Promise.all([first, ...behind, ...inFront]);
  expect(served).toEqual(['known 1', 'known 2', 'unknown 1', 'unknown 2']);
});

test('does not evaluate the priority while no work has to wait', async () => {
  const queue = createWorkQueue({ concurrency: 1, maxWaiting: 1 });
  const hasPriority = () => Promise.reject(new Error('evaluated'));
  expect(await runQueued(queue, async () => 'served', hasPriority)).toBe('served');
});

test('finishes waiting work after close and rejects new work', async () => {
  const queue = createWorkQueue({ concurrency: 1, maxWaiting: 5 });
  const { work, end } = pendingWork();
  const waiting = [runQueued(queue, work), runQueued(queue, async () => 'served')];
  await nextTurn();
  let isClosed = false;
  const closing = queue.close().then(() => {
    isClosed = true;
  });
  await expect(runQueued(queue, async () => 'late')).rejects.toMatchObject({ code: 'service_busy' });
  expect(isClosed).toBe(false);
  end();
  await closing;
  expect((await Promise.all(waiting))[1]).toBe('served');
});
