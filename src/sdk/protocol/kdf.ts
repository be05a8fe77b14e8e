/** Key derivation parameters of a password; stored with every verifier, so that they can be raised later. */
export type Kdf = { name: 'scrypt'; N: number; r: number; p: number; length: number };

/** For new verifiers. Clients also reject weaker parameters: a server that sends them is not the service. */
export const KDF: Kdf = { name: 'scrypt', N: 2 ** 15, r: 8, p: 1, length: 32 };

/** Memory limit of a client: 1 GiB. */
const MAX_MEMORY_BYTES = 2 ** 30;

export const isAcceptableKdf = ({ name, N, r, p, length }: Kdf): boolean =>
  name === 'scrypt' &&
  [N, r, p].every(Number.isSafeInteger) &&
  N >= KDF.N &&
  r >= KDF.r &&
  p >= 1 &&
  p <= 16 &&
  128 * N * r <= MAX_MEMORY_BYTES &&
  length === KDF.length;
