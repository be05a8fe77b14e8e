import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { toBytes, toInteger } from '#sdk/protocol/hex.ts';
import type { SrpGroup } from '#sdk/protocol/srp-suite.ts';

/**
 * Program of each worker thread, as text because the service is bundled into one file. `computeSecret` is `base ^
 * exponent mod N`, regardless of the group's generator. With the generator 2, OpenSSL recognizes the group (RFC 3526)
 * and trusts its prime; with g of RFC 5054 it would check the prime for a second in each thread. A task with a `factor`
 * continues with `(base ^ exponent · factor) ^ secondExponent`; its value is null if that base is 0, 1 or N − 1.
 * On Linux each thread has its own priority, so these yield to the main thread, which serves the requests.
 */
export const POWERS_PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { createDiffieHellman } = require('node:crypto');
const os = require('node:os');
const group = createDiffieHellman(Buffer.from(workerData.N), 2);
const integer = (bytes) => BigInt('0x' + Buffer.from(bytes).toString('hex'));
const N = integer(workerData.N);
const g = Buffer.from(workerData.g);
function raise(base, exponent) {
  group.setPrivateKey(Buffer.from(exponent));
  return group.computeSecret(base ? Buffer.from(base) : g);
}
function work({ base, exponent, factor, secondExponent }) {
  const value = raise(base, exponent);
  if (!factor) return value;
  const product = (integer(value) * integer(factor)) % N;
  if (product <= 1n || product === N - 1n) return null;
  return raise(Buffer.from(product.toString(16).padStart(2 * workerData.N.length, '0'), 'hex'), secondExponent);
}
if (process.platform === 'linux') os.setPriority(0, workerData.niceness);
parentPort.postMessage('ready');
parentPort.on('message', ({ id, ...task }) => {
  try {
    parentPort.postMessage({ id, value: work(task) });
  } catch (error) {
    parentPort.postMessage({ id, error: error.message });
  }
});
`;

/** Niceness on Linux, from −20 to 19; the rest of the process has 0. */
const NICENESS = 10;
const CLOSED = 'the threads that compute powers have been ended';

/** Big-endian numbers; `base` defaults to g. */
type Work = { base?: Uint8Array; exponent: Uint8Array; factor?: Uint8Array; secondExponent?: Uint8Array };
type Value = Uint8Array | null;
type WorkerMessage = 'ready' | { id: number; value: Value } | { id: number; error: string };
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
    worker.on('message', (message: WorkerMessage) => {
      if (message === 'ready') {
        thread.isReady = true;
        return;
      }
      const task = thread.tasks.get(message.id);
      thread.tasks.delete(message.id);
      // An idle thread must not keep the process alive.
      if (thread.tasks.size === 0) worker.unref();
      if ('value' in message) task?.resolve(message.value);
      else task?.reject(new Error(message.error));
    });
    worker.on('error', (error: Error) => {
      cause = error;
    });
    worker.on('exit', () => {
      threads.splice(threads.indexOf(thread), 1);
      for (const task of thread.tasks.values()) {
        if (closed) task.reject(new Error(CLOSED));
        else if (task.wasLost) task.reject(new Error('two threads ended while they computed this', { cause }));
        else assign({ ...task, wasLost: true });
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

  function assign(task: Task): void {
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
        else assign({ work, resolve, reject, wasLost: false });
      }),
    async close() {
      closed = true;
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}

/** Leaves one core to the main thread. */
export const POWER_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

export type Powers = {
  /** `base ^ exponent mod N`; `base` defaults to g. Rejects a base of 0, 1 or N − 1. */
  power(exponent: bigint, base?: bigint): Promise<bigint>;
  /**
   * `(base ^ exponent · factor) ^ secondExponent mod N`, in one round trip to the thread. Null when the last base is 0, 1
   * or N − 1, whose powers are public.
   */
  powerOfProduct(base: bigint, exponent: bigint, factor: bigint, secondExponent: bigint): Promise<bigint | null>;
};

/** Creates the powers of one group, computed by OpenSSL in worker threads, which `close` ends. */
export function createPowers(
  group: SrpGroup,
  { compute, close } = createThreads(group, { most: POWER_THREADS }),
): Powers & { close(): Promise<void> } {
  const padded = (number: bigint) => toBytes(number, group.byteLength);
  return {
    close,
    async power(exponent, base) {
      const value = await compute({ exponent: toBytes(exponent), ...(base !== undefined && { base: padded(base) }) });
      if (value === null) throw new Error('a single power always has a value');
      return toInteger(value);
    },
    async powerOfProduct(base, exponent, factor, secondExponent) {
      const value = await compute({
        base: padded(base),
        exponent: toBytes(exponent),
        factor: toBytes(factor),
        secondExponent: toBytes(secondExponent),
      });
      return value && toInteger(value);
    },
  };
}
