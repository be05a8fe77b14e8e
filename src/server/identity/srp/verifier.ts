import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Prisma } from '#generated/prisma/client.ts';
import { toBytes, toHex } from '#sdk/protocol/hex.ts';
import { KDF } from '#sdk/protocol/kdf.ts';
import { privateKey } from '#sdk/protocol/srp-hashes.ts';
import type { Context } from '../../core/context.ts';
import type { Registration } from './registration.ts';
import { SUITE } from './suite.ts';

const boundTo = (tenantId: string, patientId: string) => `patient_sign_ins/${tenantId}/${patientId}/verifier`;

/**
 * Maps a registration to columns of a sign-in. The verifier is encrypted because it allows offline guessing of
 * passwords.
 */
export const registrationColumns = (
  ctx: Context,
  patientId: string,
  { identity, salt, verifier, kdf }: Registration,
) => ({
  srpIdentity: identity,
  salt,
  verifier: ctx.cipher.seal(verifier, boundTo(ctx.tenantId, patientId)),
  kdf: kdf as Prisma.InputJsonObject,
});

export const openVerifier = (ctx: Context, patientId: string, sealed: Uint8Array): string =>
  ctx.cipher.open(sealed, boundTo(ctx.tenantId, patientId));

const IDENTITY_BYTES = 16;
const SALT_BYTES = 32;

/** Registers a password that the server generated; every other password is registered by its client. */
export async function registerPassword(ctx: Pick<Context, 'identity'>, password: string): Promise<Registration> {
  const identity = randomBytes(IDENTITY_BYTES).toString('hex');
  const salt = randomBytes(SALT_BYTES).toString('hex');
  return { identity, salt, verifier: await verifierOf(ctx, password, { identity, salt, kdf: KDF }), kdf: KDF };
}

const stretch = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/** Computes the verifier of a password with scrypt; slow by design, in a thread of the pool. */
export async function verifierOf(
  ctx: Pick<Context, 'identity'>,
  password: string,
  { identity, salt, kdf }: Omit<Registration, 'verifier'>,
): Promise<string> {
  const { N, r, p, length } = kdf;
  const salted = Buffer.from(salt, 'hex');
  const secret = await stretch(password.normalize('NFKC'), salted, length, { N, r, p, maxmem: 256 * N * r });
  const v = await ctx.identity.srp.power(privateKey(SUITE, identity, secret.toString('hex'), salted));
  return toHex(toBytes(v, SUITE.byteLength));
}
