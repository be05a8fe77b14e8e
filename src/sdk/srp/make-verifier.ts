import { toBytes, toHex } from '../protocol/hex.ts';
import { KDF, type Kdf } from '../protocol/kdf.ts';
import { privateKey } from '../protocol/srp-hashes.ts';
import { modPow, randomBytes, SUITE, stretchPassword } from './suite.ts';

const IDENTITY_BYTES = 16;
const SALT_BYTES = 32;

/** What a server stores instead of a password; lowercase hex. */
export type SrpRegistration = { identity: string; salt: string; verifier: string; kdf: Kdf };

/** Creates a verifier for a new password, which the server never sees. Pass the identity of an existing account. */
export async function makeVerifier(
  password: string,
  identity = toHex(randomBytes(IDENTITY_BYTES)),
): Promise<SrpRegistration> {
  const salt = randomBytes(SALT_BYTES);
  const x = privateKey(SUITE, identity, await stretchPassword(password, salt, KDF), salt);
  const verifier = toHex(toBytes(modPow(SUITE.g, x, SUITE.N), SUITE.byteLength));
  return { identity, salt: toHex(salt), verifier, kdf: KDF };
}
