/**
 * What each thread runs. As text, because the service is bundled into one file, beside which no second one lies. Making
 * the group costs OpenSSL some 0.4 s (it checks the prime), a power in it 0.3 ms: so it is made once a thread.
 * `computeSecret` is `base ^ exponent mod N`, `generateKeys` the same with g for the base.
 */
export const POWERS_PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { createDiffieHellman } = require('node:crypto');
const group = createDiffieHellman(Buffer.from(workerData.N), Buffer.from(workerData.g));
parentPort.on('message', ({ id, base, exponent }) => {
  try {
    group.setPrivateKey(Buffer.from(exponent));
    const value = base ? group.computeSecret(Buffer.from(base)) : group.generateKeys();
    parentPort.postMessage({ id, value });
  } catch (error) {
    parentPort.postMessage({ id, error: error.message });
  }
});
`;
