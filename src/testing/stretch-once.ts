import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * A password is stretched once for each salt in a suite, not at each of the hundreds of sign-ups that repeat it: the
 * result is the same, and what it costs is shown elsewhere. When proving, every one is stretched.
 */
const { scrypt, scryptSync } = crypto;
const found = new Map<string, Buffer>();

const nameOf = (password: BinaryLike, salt: BinaryLike, length: number, { N, r, p }: ScryptOptions): string =>
  [password, salt].map((text) => Buffer.from(text as string).toString('hex')).join() + [length, N, r, p].join();

function once(password: BinaryLike, salt: BinaryLike, length: number, options: ScryptOptions, ...rest: unknown[]) {
  const [then] = rest as [(error: Error | null, key: Buffer) => void];
  const name = nameOf(password, salt, length, options);
  const known = found.get(name);
  if (known) return setImmediate(then, null, Buffer.from(known));
  scrypt(password, salt, length, options, (error, key) => {
    if (!error) found.set(name, Buffer.from(key));
    then(error, key);
  });
}

function onceSync(password: BinaryLike, salt: BinaryLike, length: number, options: ScryptOptions = {}) {
  const name = nameOf(password, salt, length, options);
  const key = found.get(name) ?? scryptSync(password, salt, length, options);
  found.set(name, key);
  return Buffer.from(key);
}

if (!process.env.PROVE) {
  Object.assign(crypto, { scrypt: once, scryptSync: onceSync });
  syncBuiltinESMExports();
}
