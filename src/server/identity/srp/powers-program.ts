/**
 * Program of each worker thread, as text because the service is bundled into one file. `computeSecret` is `base ^
 * exponent mod N`, regardless of the group's generator. With the generator 2, OpenSSL recognizes the group (RFC 3526)
 * and trusts its prime; with g of RFC 5054 it would check the prime for a second in each thread. A task with a `factor`
 * continues with `(base ^ exponent · factor) ^ again`; its value is null if that base is 0, 1 or N − 1.
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
function work({ base, exponent, factor, again }) {
  const value = raise(base, exponent);
  if (!factor) return value;
  const product = (integer(value) * integer(factor)) % N;
  if (product <= 1n || product === N - 1n) return null;
  return raise(Buffer.from(product.toString(16).padStart(2 * workerData.N.length, '0'), 'hex'), again);
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
