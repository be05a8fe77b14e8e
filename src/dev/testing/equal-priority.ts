import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import workerThreads, { type WorkerOptions } from 'node:worker_threads';

/**
 * Threads that lower their own priority keep that of the process: on cores that are full with suites they would get a
 * tenth of one, and every sign-in would wait for them. `npm run prove` leaves them as they are.
 */
const { Worker } = workerThreads;

class EqualWorker extends Worker {
  constructor(program: string | URL, options: WorkerOptions = {}) {
    const lowers = typeof options.workerData?.niceness === 'number';
    const workerData = lowers ? { ...options.workerData, niceness: os.getPriority() } : options.workerData;
    super(program, { ...options, workerData });
  }
}

// Once for the process, which runs one suite after another.
if (Worker.name !== EqualWorker.name) {
  Object.assign(workerThreads, { Worker: EqualWorker });
  syncBuiltinESMExports();
}
