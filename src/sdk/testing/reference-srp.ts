import { createHash, getDiffieHellman, randomBytes } from 'node:crypto';

/** The server's side of SRP-6a, written from RFC 5054 without code of the package, for tests only. */
const N = BigInt(`0x${getDiffieHellman('modp15').getPrime('hex')}`);
const g = 5n;
const LENGTH = 384;

const pad = (value: bigint) => Buffer.from(value.toString(16).padStart(LENGTH * 2, '0'), 'hex');
const sha256 = (...parts: (Buffer | string)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const integer = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = base % N, left = exponent; left > 0n; left >>= 1n, square = (square * square) % N)
    if (left & 1n) result = (result * square) % N;
  return result;
}

export type StoredHandshake = { identity: string; salt: string; verifier: string };

export function respondToSrp({ identity, salt, verifier }: StoredHandshake, hexA: string) {
  const v = BigInt(`0x${verifier}`);
  const A = BigInt(`0x${hexA}`);
  if (A % N === 0n) throw new Error('A is zero');
  const b = integer(randomBytes(32));
  const k = integer(sha256(pad(N), pad(g)));
  const B = (k * v + power(g, b)) % N;
  const u = integer(sha256(pad(A), pad(B)));
  const K = sha256(pad(power(A * power(v, u), b)));
  const group = sha256(pad(N)).map((byte, at) => byte ^ sha256(Buffer.from([5]))[at]!);
  const M1 = sha256(Buffer.from(group), sha256(identity), Buffer.from(salt, 'hex'), pad(A), pad(B), K);
  return {
    B: B.toString(16).padStart(LENGTH * 2, '0'),
    M1: M1.toString('hex'),
    M2: sha256(pad(A), M1, K).toString('hex'),
  };
}
