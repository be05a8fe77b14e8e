/** How a password is stretched before SRP; travels with every verifier, so it can be raised later. */
export type Kdf = { name: 'scrypt'; N: number; r: number; p: number; length: number };

/** For new verifiers. A client also refuses less: a server that asks for it is not ours. */
export const KDF: Kdf = { name: 'scrypt', N: 2 ** 15, r: 8, p: 1, length: 32 };

/** The most a client will work: 1 GiB of memory. */
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
