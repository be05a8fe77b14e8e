/**
 * The limit: three modular exponentiations per exchange in OpenSSL, in as many threads as the service uses, and nothing
 * else.
 */
import { Worker } from 'node:worker_threads';
import { toBytes } from '#sdk/protocol/hex.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';
import { POWER_THREADS } from '#server/identity/srp/powers.ts';
import { serveMessages } from '../start-process.ts';

const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { createDiffieHellman, randomBytes } = require('node:crypto');
const group = createDiffieHellman(Buffer.from(workerData.N), Buffer.from(workerData.g));
const base = group.generateKeys();
const withSecret = () => group.setPrivateKey(randomBytes(32));
parentPort.on('message', (count) => {
  for (let done = 0; done < count; done++) {
    withSecret();
    group.generateKeys();
    for (const _ of ['v^u', '(A·v^u)^b']) {
      withSecret();
      group.computeSecret(base);
    }
  }
  parentPort.postMessage('done');
});
`;

const workerData = { N: toBytes(SRP_GROUP.N), g: toBytes(SRP_GROUP.g) };
const threads = Array.from({ length: POWER_THREADS }, () => new Worker(PROGRAM, { eval: true, workerData }));

async function exchange(thread: Worker, count: number): Promise<void> {
  const done = new Promise((resolve) => thread.once('message', resolve));
  thread.postMessage(count);
  await done;
}

serveMessages(async ({ count }: { count: number }) => {
  const startedAt = performance.now();
  await Promise.all(threads.map((thread) => exchange(thread, Math.ceil(count / threads.length))));
  return { 'per second': (count / (performance.now() - startedAt)) * 1000 };
});
