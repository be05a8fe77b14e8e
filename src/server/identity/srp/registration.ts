import { z } from 'zod';
import { fromHex, toInteger } from '#sdk/protocol/hex.ts';
import { isAcceptableKdf, KDF } from '#sdk/protocol/kdf.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';

/** The service runs scrypt several times with the parameters of a registration, so they are bounded. */
const MAX_KDF_COST = 4 * KDF.N * KDF.r * KDF.p;
const IDENTITY_BYTES = 16;
const SALT_BYTES = 32;

export const hex = (bytes: number) =>
  z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`), `Must be ${bytes} bytes in lowercase hex`);
/** A number of the group, 1 < n < N − 1: the excluded values would make every secret predictable. */
export const groupNumber = z
  .string()
  .regex(/^(?:[0-9a-f]{2}){1,384}$/, { error: 'Must be lowercase hex of at most 384 bytes', abort: true })
  .refine((text) => {
    const number = toInteger(fromHex(text, SRP_GROUP.byteLength));
    return number > 1n && number < SRP_GROUP.N - 1n;
  }, 'Must be a number of the group');

const Kdf = z
  .strictObject({ name: z.literal('scrypt'), N: z.int(), r: z.int(), p: z.int(), length: z.int() })
  .refine(isAcceptableKdf, 'Must be scrypt with at least N=32768, r=8, p=1, and 32 bytes')
  .refine(({ N, r, p }) => N * r * p <= MAX_KDF_COST, 'Must take at most four times as long as the protocol asks');
export const Registration = z.strictObject({
  identity: hex(IDENTITY_BYTES),
  salt: hex(SALT_BYTES),
  verifier: groupNumber,
  kdf: Kdf,
});
export type Registration = z.infer<typeof Registration>;
