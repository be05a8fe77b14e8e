/**
 * What each thread runs. As text, because the service is bundled into one file, beside which no second one lies. Making
 * the group costs OpenSSL a second or so (it checks the prime), a power in it half a millisecond: so it is made once a
 * thread. `computeSecret` is `base ^ exponent mod N`, `generateKeys` the same with g for the base. A task with a
 * `factor` goes on to `(base ^ exponent · factor) ^ again`, and its value is null where that base is 0, 1 or N − 1.
 *
 * On Linux, where a thread has a priority of its own, these yield to the thread that answers everybody's requests.
 */
export const POWERS_PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { createDiffieHellman } = require('node:crypto');
const os = require('node:os');
const group = createDiffieHellman(Buffer.from(workerData.N), Buffer.from(workerData.g));
const integer = (bytes) => BigInt('0x' + Buffer.from(bytes).toString('hex'));
const N = integer(workerData.N);
function raise(base, exponent) {
  group.setPrivateKey(Buffer.from(exponent));
  return base ? group.computeSecret(Buffer.from(base)) : group.generateKeys();
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
