import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { toBytes } from '#sdk/protocol/hex.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';
import { POWERS_PROGRAM } from './powers-program.ts';

/** One core stays for the requests of everybody else. */
export const POWER_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));
const NICENESS = 5;

/** Numbers big-endian; without a base, g. */
export type Work = { base?: Uint8Array; exponent: Uint8Array; factor?: Uint8Array; again?: Uint8Array };
type Value = Uint8Array | null;
type Answer = { id: number; value: Value } | { id: number; error: string };
type Task = { work: Work; resolve: (value: Value) => void; reject: (error: Error) => void; wasLost: boolean };
type Thread = { worker: Worker; tasks: Map<number, Task> };

const threads: Thread[] = [];
let lastId = 0;

function startThread(): Thread {
  const workerData = { N: toBytes(SRP_GROUP.N), g: toBytes(SRP_GROUP.g), niceness: NICENESS };
  const worker = new Worker(POWERS_PROGRAM, { eval: true, workerData });
  const thread: Thread = { worker, tasks: new Map() };
  let cause: Error | undefined;
  worker.on('message', (answer: Answer) => {
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
      if (task.wasLost) task.reject(new Error('two threads ended while they computed this', { cause }));
      else give({ ...task, wasLost: true });
    }
  });
  worker.unref();
  threads.push(thread);
  return thread;
}

/** The least busy thread; another is started while all are busy and there are cores. */
function pickThread(): Thread {
  const free = [...threads].sort((a, b) => a.tasks.size - b.tasks.size)[0];
  return free && (free.tasks.size === 0 || threads.length >= POWER_THREADS) ? free : startThread();
}

function give(task: Task): void {
  const { worker, tasks } = pickThread();
  const id = ++lastId;
  tasks.set(id, task);
  worker.ref();
  worker.postMessage({ id, ...task.work });
}

/**
 * Has a thread work it out. What a thread leaves unanswered when it ends is given to another, once, for a power has no
 * effect that could happen twice. Rejects what OpenSSL refuses, and what two threads did not survive.
 */
export const inThread = (work: Work): Promise<Value> =>
  new Promise((resolve, reject) => give({ work, resolve, reject, wasLost: false }));
