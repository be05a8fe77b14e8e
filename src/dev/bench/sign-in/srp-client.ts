import { createDiffieHellman, createHash, randomBytes } from 'node:crypto';
import { fromHex, toBytes, toHex, toInteger } from '#sdk/protocol/hex.ts';
import { clientProof, multiplier, scrambler, serverProof, sessionKey } from '#sdk/protocol/srp-hashes.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';

const SUITE = { ...SRP_GROUP, hash: (data: Uint8Array) => createHash('sha256').update(data).digest() };
const { N, g, byteLength } = SUITE;
/**
 * The generator is not used: with it OpenSSL recognises the group and skips the primality test, which takes a second.
 */
const openssl = createDiffieHellman(Buffer.from(toBytes(N)), 2);
const K = multiplier(SUITE);

function power(exponent: bigint, base = g): bigint {
  openssl.setPrivateKey(Buffer.from(toBytes(exponent)));
  return toInteger(openssl.computeSecret(toBytes(base, byteLength)));
}

const random = () => toInteger(randomBytes(32));
export const hexOf = (number: bigint) => toHex(toBytes(number, byteLength));

export type Account = { email: string; identity: string; salt: string; x: bigint; v: bigint };
export type FirstHalf = { account: Account; a: bigint; A: bigint; hexA: string };
export type Started = { handshake: string; identity: string; salt: string; B: string };

/**
 * Creates an account with a password; x is random, because stretching a password is the client's work and not measured.
 */
export function makeAccount(email: string): Account {
  const x = random();
  return { email, identity: randomBytes(16).toString('hex'), salt: randomBytes(32).toString('hex'), x, v: power(x) };
}

export function beginExchange(account: Account): FirstHalf {
  const a = random();
  const A = power(a);
  return { account, a, A, hexA: hexOf(A) };
}

/** Computes the client's proof and the expected server proof; takes 2 ms in OpenSSL. */
export function proveExchange({ account, a, A }: FirstHalf, { identity, salt, B: hexB }: Started) {
  const B = toInteger(fromHex(hexB, byteLength));
  const u = scrambler(SUITE, A, B);
  const base = (B - ((K * account.v) % N) + N) % N;
  const key = sessionKey(SUITE, power(a + u * account.x, base));
  const M1 = clientProof(SUITE, { identity, salt: fromHex(salt, 64), A, B, sessionKey: key });
  return { M1: toHex(M1), M2: toHex(serverProof(SUITE, A, M1, key)) };
}
