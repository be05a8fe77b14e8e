import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { toBytes, toInteger } from '#sdk/protocol/hex.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';
import { POWERS_PROGRAM } from './powers-program.ts';

/** One core stays for the requests of everybody else. */
export const POWER_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));
const { N, g, byteLength } = SRP_GROUP;

type Answer = { id: number; value: Uint8Array } | { id: number; error: string };
type Waiting = { resolve: (value: bigint) => void; reject: (error: Error) => void };
type Thread = { worker: Worker; waiting: Map<number, Waiting> };

const threads: Thread[] = [];
let lastId = 0;

function startThread(): Thread {
  const worker = new Worker(POWERS_PROGRAM, { eval: true, workerData: { N: toBytes(N), g: toBytes(g) } });
  const thread: Thread = { worker, waiting: new Map() };
  worker.on('message', (answer: Answer) => {
    const waiting = thread.waiting.get(answer.id);
    thread.waiting.delete(answer.id);
    // An idle thread must not keep the process alive.
    if (thread.waiting.size === 0) worker.unref();
    if ('value' in answer) waiting?.resolve(toInteger(answer.value));
    else waiting?.reject(new Error(answer.error));
  });
  worker.on('error', (error: Error) => {
    threads.splice(threads.indexOf(thread), 1);
    for (const { reject } of thread.waiting.values()) reject(error);
  });
  worker.unref();
  threads.push(thread);
  return thread;
}

/** The least busy thread; another is started while all are busy and there are cores. */
function pickThread(): Thread {
  const free = [...threads].sort((a, b) => a.waiting.size - b.waiting.size)[0];
  return free && (free.waiting.size === 0 || threads.length >= POWER_THREADS) ? free : startThread();
}

/** `base ^ exponent mod N`, with g for a base left out, by OpenSSL in a thread. Rejects a base of 0, 1 or N − 1. */
export function power(exponent: bigint, base?: bigint): Promise<bigint> {
  const thread = pickThread();
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    thread.waiting.set(id, { resolve, reject });
    thread.worker.ref();
    thread.worker.postMessage({
      id,
      exponent: toBytes(exponent),
      base: base === undefined ? null : toBytes(base, byteLength),
    });
  });
}
