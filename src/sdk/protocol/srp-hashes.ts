import { toBytes, toInteger } from './hex.ts';
import type { SrpSuite } from './srp-suite.ts';

/** `A`, `B` and `S` are integers and are padded to |N| here, so that callers cannot omit it. */
export type SrpExchange = { identity: string; salt: Uint8Array; A: bigint; B: bigint; sessionKey: Uint8Array };

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function join(...parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** `k = H(N ‖ PAD(g))`, RFC 5054 §2.5.3. */
export const multiplier = ({ hash, N, g, byteLength }: SrpSuite): bigint =>
  toInteger(hash(join(toBytes(N), toBytes(g, byteLength))));

/** `u = H(PAD(A) ‖ PAD(B))`, RFC 5054 §2.5.4. A `u` of zero must end the exchange. */
export const scrambler = ({ hash, byteLength }: SrpSuite, A: bigint, B: bigint): bigint =>
  toInteger(hash(join(toBytes(A, byteLength), toBytes(B, byteLength))));

/** `x = H(salt ‖ H(I ‖ ":" ‖ secret))`, RFC 5054 §2.4; the secret is `K0` where passwords are stretched. */
export const privateKey = ({ hash }: SrpSuite, identity: string, secret: string, salt: Uint8Array): bigint =>
  toInteger(hash(join(salt, hash(utf8(`${identity}:${secret}`)))));

/** `K = H(PAD(S))`. */
export const sessionKey = ({ hash, byteLength }: SrpSuite, S: bigint): Uint8Array => hash(toBytes(S, byteLength));

/** `M1 = H(H(N) ⊕ H(g) ‖ H(I) ‖ salt ‖ PAD(A) ‖ PAD(B) ‖ K)`, the client's proof (RFC 2945 §3). */
export function clientProof(suite: SrpSuite, { identity, salt, A, B, sessionKey: K }: SrpExchange): Uint8Array {
  const { hash, N, g, byteLength } = suite;
  const hashedG = hash(toBytes(g));
  const group = hash(toBytes(N)).map((byte, at) => byte ^ hashedG[at]!);
  return hash(join(group, hash(utf8(identity)), salt, toBytes(A, byteLength), toBytes(B, byteLength), K));
}

/** `M2 = H(PAD(A) ‖ M1 ‖ K)`, the server's proof. */
export const serverProof = ({ hash, byteLength }: SrpSuite, A: bigint, M1: Uint8Array, K: Uint8Array): Uint8Array =>
  hash(join(toBytes(A, byteLength), M1, K));
