import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Tests use scrypt with N divided by 1024, in the service and in clients; `npm run prove` uses the production
 * parameters.
 */
const LESS = 1024;
const lighter = (options: ScryptOptions): ScryptOptions => ({
  ...options,
  N: Math.max(2, (options.N ?? 16_384) / LESS),
});

const { scrypt, scryptSync } = crypto;
type Done = (error: Error | null, key: Buffer) => void;

function scryptLightly(password: BinaryLike, salt: BinaryLike, length: number, options: ScryptOptions, done: Done) {
  scrypt(password, salt, length, lighter(options), done);
}
function scryptSyncLightly(password: BinaryLike, salt: BinaryLike, length: number, options: ScryptOptions = {}) {
  return scryptSync(password, salt, length, lighter(options));
}

// One process runs several suites, so this is done once.
if (scrypt.name !== scryptLightly.name) {
  Object.assign(crypto, { scrypt: scryptLightly, scryptSync: scryptSyncLightly });
  syncBuiltinESMExports();
}
