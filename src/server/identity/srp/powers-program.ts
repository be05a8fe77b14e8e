/**
 * What each thread runs. As text, because the service is bundled into one file, beside which no second one lies.
 * `computeSecret` is `base ^ exponent mod N`, whatever the group's own generator is. With 2 for that, OpenSSL knows the
 * group by name (RFC 3526) and trusts its prime; with g of RFC 5054 it would check the prime for a second of each
 * thread's life. A task with a `factor` goes on to `(base ^ exponent · factor) ^ again`, and its value is null where that
 * base is 0, 1 or N − 1.
 *
 * On Linux, where a thread has a priority of its own, these yield to the thread that answers everybody's requests.
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
