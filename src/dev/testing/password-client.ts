import { createDiffieHellman, createHash, getDiffieHellman, randomBytes, scryptSync } from 'node:crypto';
import type { SignInBench, TestResponse } from './patient-sign-in.ts';

// Implemented from the protocol's description without the SDK's code, so that each verifies the other.
const N = BigInt(`0x${getDiffieHellman('modp15').getPrime('hex')}`);
const G = 5n;
const BYTES = 384;
const KDF = { name: 'scrypt' as const, N: 2 ** 15, r: 8, p: 1, length: 32 };

const sha256 = (...parts: (Buffer | string)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const integer = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`);
const minimal = (number: bigint): Buffer => {
  const digits = number.toString(16);
  return Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex');
};
const pad = (number: bigint): Buffer => Buffer.from(number.toString(16).padStart(BYTES * 2, '0'), 'hex');
/** The generator is not used: with it OpenSSL recognises the group and skips the primality test. */
const group = createDiffieHellman(Buffer.from(N.toString(16), 'hex'), 2);
/** Returns `base ^ exponent mod N`. */
export function modPow(base: bigint, exponent: bigint): bigint {
  group.setPrivateKey(minimal(exponent));
  return integer(group.computeSecret(pad(base % N)));
}
function secretExponent(identity: string, password: string, salt: Buffer): bigint {
  const { N: cost, r, p, length } = KDF;
  const stretched = scryptSync(password.normalize('NFKC'), salt, length, { N: cost, r, p, maxmem: 256 * cost * r });
  return integer(sha256(salt, sha256(`${identity}:${stretched.toString('hex')}`)));
}

export type Registration = ReturnType<typeof register>;

/** The values that a server stores instead of a password. */
export function register(password: string, identity = randomBytes(16).toString('hex')) {
  const salt = randomBytes(32);
  const verifier = pad(modPow(G, secretExponent(identity, password, salt))).toString('hex');
  return { identity, salt: salt.toString('hex'), verifier, kdf: KDF };
}

/** Creates a device secret, which binds a pending sign-up to its device. */
export const newAttempt = (): string => randomBytes(32).toString('hex');
/** The secret of a test's single device. */
export const ATTEMPT = newAttempt();

/**
 * Runs the first half of a password proof, of an account or, with `attempt`, of a pending sign-up. @returns the
 * response, the body of the second half, and a check of the server's M2
 */
export async function prove(
  bench: Pick<SignInBench, 'post'>,
  client_id: string,
  email: string,
  password: string,
  headers = {},
  attempt?: string,
  device?: string,
) {
  const a = integer(randomBytes(32));
  const A = modPow(G, a);
  const started = await bench.post(
    '/credentials/srp/start',
    { client_id, email, ...(attempt && { attempt }), ...(device && { device }), A: pad(A).toString('hex') },
    { headers },
  );
  if (started.status !== 200) return { started, body: { handshake: 'none', M1: '' }, isServer: () => false };
  const { handshake, identity, salt, B: offered } = started.body;
  const saltBytes = Buffer.from(salt, 'hex');
  const B = integer(Buffer.from(offered, 'hex'));
  const x = secretExponent(identity, password, saltBytes);
  const k = integer(sha256(minimal(N), pad(G)));
  const u = integer(sha256(pad(A), pad(B)));
  const S = modPow((((B - k * modPow(G, x)) % N) + N) % N, a + u * x);
  const K = sha256(pad(S));
  const parameters = sha256(minimal(N)).map((byte, index) => byte ^ sha256(minimal(G))[index]!);
  const M1 = sha256(Buffer.from(parameters), sha256(identity), saltBytes, pad(A), pad(B), K);
  return {
    started,
    body: { handshake, M1: M1.toString('hex') },
    isServer: (M2: string) => M2 === sha256(pad(A), M1, K).toString('hex'),
  };
}

/** Runs both halves of a sign-in. */
export async function signInWithPassword(
  bench: Pick<SignInBench, 'post'>,
  client_id: string,
  email: string,
  password: string,
  headers = {},
  attempt?: string,
  device?: string,
): Promise<TestResponse> {
  const { started, body, isServer } = await prove(bench, client_id, email, password, headers, attempt, device);
  if (started.status !== 200) return started;
  const finished = await bench.post('/credentials/srp/finish', body, { headers });
  if (finished.status === 200 && !isServer(finished.body.M2)) throw new Error('the server could not prove itself');
  return finished;
}
