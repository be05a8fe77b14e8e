import { Worker } from 'node:worker_threads';
import { toBytes } from '#sdk/protocol/hex.ts';
import type { SrpGroup } from '#sdk/protocol/srp-suite.ts';
import { POWERS_PROGRAM } from './powers-program.ts';

/** Niceness on Linux, from −20 to 19; the rest of the process has 0. */
const NICENESS = 10;
const CLOSED = 'the threads that compute powers have been ended';

/** Big-endian numbers; `base` defaults to g. */
export type Work = { base?: Uint8Array; exponent: Uint8Array; factor?: Uint8Array; again?: Uint8Array };
type Value = Uint8Array | null;
type Answer = 'ready' | { id: number; value: Value } | { id: number; error: string };
type Task = { work: Work; resolve: (value: Value) => void; reject: (error: Error) => void; wasLost: boolean };
type Thread = { worker: Worker; tasks: Map<number, Task>; isReady: boolean };

/**
 * Creates up to `most` worker threads for one group, started on demand. Work that a thread leaves unfinished when it
 * exits goes to another thread once; a power has no side effect that could happen twice. `compute` rejects on an
 * OpenSSL error, when two threads exited over the work, and after `close`.
 */
export function createThreads(
  { N, g }: SrpGroup,
  { most, program = POWERS_PROGRAM }: { most: number; program?: string },
): { compute(work: Work): Promise<Value>; close(): Promise<void> } {
  const threads: Thread[] = [];
  let lastId = 0;
  let closed = false;

  function startThread(): Thread {
    const worker = new Worker(program, {
      eval: true,
      workerData: { N: toBytes(N), g: toBytes(g), niceness: NICENESS },
    });
    const thread: Thread = { worker, tasks: new Map(), isReady: false };
    let cause: Error | undefined;
    worker.on('message', (answer: Answer) => {
      if (answer === 'ready') {
        thread.isReady = true;
        return;
      }
      const task = thread.tasks.get(answer.id);
      thread.tasks.delete(answer.id);
      // An idle thread must not keep the process alive.
      if (thread.tasks.size === 0) worker.unref();
      if ('value' in answer) task?.resolve(answer.value);
      else task?.reject(new Error(answer.error));
    });
    worker.on('error', (error: Error) => {
      cause = error;
    });
    worker.on('exit', () => {
      threads.splice(threads.indexOf(thread), 1);
      for (const task of thread.tasks.values()) {
        if (closed) task.reject(new Error(CLOSED));
        else if (task.wasLost) task.reject(new Error('two threads ended while they computed this', { cause }));
        else give({ ...task, wasLost: true });
      }
    });
    worker.unref();
    threads.push(thread);
    return thread;
  }

  /** Picks the least busy thread. If all are busy, another one starts, but the work does not wait for it. */
  function pickThread(): Thread {
    const ready = threads.filter(({ isReady }) => isReady);
    const [best] = (ready.length > 0 ? ready : [...threads]).sort((a, b) => a.tasks.size - b.tasks.size);
    if (best?.tasks.size === 0 || (best && threads.length >= most)) return best;
    const started = startThread();
    return best ?? started;
  }

  function give(task: Task): void {
    const { worker, tasks } = pickThread();
    const id = ++lastId;
    tasks.set(id, task);
    worker.ref();
    worker.postMessage({ id, ...task.work });
  }

  return {
    compute: (work) =>
      new Promise((resolve, reject) => {
        if (closed) reject(new Error(CLOSED));
        else give({ work, resolve, reject, wasLost: false });
      }),
    async close() {
      closed = true;
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}
