import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import workerThreads, { type WorkerOptions } from 'node:worker_threads';

/**
 * Keeps worker threads at the process's priority: on cores that are busy with test suites a lowered thread would get
 * about a tenth of one, and every sign-in would wait for it. `npm run prove` does not load this module.
 */
const { Worker } = workerThreads;

class EqualWorker extends Worker {
  constructor(program: string | URL, options: WorkerOptions = {}) {
    const lowers = typeof options.workerData?.niceness === 'number';
    const workerData = lowers ? { ...options.workerData, niceness: os.getPriority() } : options.workerData;
    super(program, { ...options, workerData });
  }
}

// One process runs several suites, so this is done once.
if (Worker.name !== EqualWorker.name) {
  Object.assign(workerThreads, { Worker: EqualWorker });
  syncBuiltinESMExports();
}
