import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Passwords are stretched a thousand times less, by the service and by who calls it alike, with all else as it is: hundreds
 * of sign-ups would wait for what is shown elsewhere. When proving, every one is stretched in full.
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

// Once for the process, which runs one suite after another.
if (scrypt.name !== scryptLightly.name) {
  Object.assign(crypto, { scrypt: scryptLightly, scryptSync: scryptSyncLightly });
  syncBuiltinESMExports();
}
