import { z } from 'zod';
import { UpdatePatientInput } from '#contract/patients.ts';
import { fromHex, toInteger } from '#sdk/protocol/hex.ts';
import { isAcceptableKdf, KDF } from '#sdk/protocol/kdf.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';

/** The service stretches a few passwords as a registration does, to find out the worst. */
const MOST_STRETCHING = 4 * KDF.N * KDF.r * KDF.p;
const IDENTITY_BYTES = 16;
const SALT_BYTES = 32;
const PROOF_BYTES = 32;
const ATTEMPT_BYTES = 32;

const hex = (bytes: number) =>
  z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`), `Must be ${bytes} bytes in lowercase hex`);
/** A number of the group, 1 < n < N − 1: the ends would make every secret known. */
const groupNumber = z
  .string()
  .regex(/^(?:[0-9a-f]{2}){1,384}$/, { error: 'Must be lowercase hex of at most 384 bytes', abort: true })
  .refine((text) => {
    const number = toInteger(fromHex(text, SRP_GROUP.byteLength));
    return number > 1n && number < SRP_GROUP.N - 1n;
  }, 'Must be a number of the group');

const client_id = z.string().max(100);
const Phone = z.string().max(40);
const Email = z.email().max(254).toLowerCase();
const Code = z.string().regex(/^\d{6}$/, 'Must be six digits');
const token = z.string().min(1).max(300);
/** The secret of a known device; one that is not is like none. */
const device = token.optional();
/** A secret of the device that signs up, or asks for a reset: what it began, nobody else finishes. */
const attempt = hex(ATTEMPT_BYTES);
/** What somebody shows beside an access token, either of them. */
const shown = { device, proof: token.optional() };
/** The solution of a challenge that a refusal gave. */
const proof_of_work = z.strictObject({ challenge: z.string().max(100), nonce: z.string().max(100) }).optional();
const Attributes = UpdatePatientInput.omit({ id: true }).default({});
const Kdf = z
  .strictObject({ name: z.literal('scrypt'), N: z.int(), r: z.int(), p: z.int(), length: z.int() })
  .refine(isAcceptableKdf, 'Must be scrypt with at least N=32768, r=8, p=1, and 32 bytes')
  .refine(({ N, r, p }) => N * r * p <= MOST_STRETCHING, 'Must take at most four times as long as the protocol asks');
export const Registration = z.strictObject({
  identity: hex(IDENTITY_BYTES),
  salt: hex(SALT_BYTES),
  verifier: groupNumber,
  kdf: Kdf,
});
export type Registration = z.infer<typeof Registration>;

/** Bodies of the identity endpoints, by the names of `sdk/protocol/endpoints.ts`. */
export const INPUTS = {
  passwordlessSignUp: z.strictObject({ client_id, phone_number: Phone, attempt, attributes: Attributes }),
  passwordlessSignIn: z.strictObject({ client_id, phone_number: Phone, device, proof_of_work }),
  passwordlessComplete: z.strictObject({ challenge: token, code: Code, attempt: attempt.optional(), device }),
  signUp: z.strictObject({
    client_id,
    email: Email,
    attempt,
    srp: Registration,
    attributes: Attributes,
    proof_of_work,
  }),
  confirm: z.strictObject({ client_id, email: Email, attempt, code: Code }),
  resend: z.strictObject({ client_id, email: Email, attempt: attempt.optional(), device, proof_of_work }),
  srpStart: z.strictObject({ client_id, email: Email, attempt: attempt.optional(), A: groupNumber, device }),
  srpFinish: z.strictObject({ handshake: token, M1: hex(PROOF_BYTES), device }),
  completeInvitation: z.strictObject({ continuation: token, srp: Registration, device }),
  reset: z.strictObject({ client_id, email: Email, attempt, device, proof_of_work }),
  completeReset: z.strictObject({ client_id, email: Email, attempt, code: Code, srp: Registration }),
  signOut: z.strictObject({}),
  proofCode: z.strictObject({ proof_of_work }),
  proof: z
    .strictObject({ handshake: token.optional(), M1: hex(PROOF_BYTES).optional(), code: Code.optional() })
    .transform(({ handshake, M1, code }, { addIssue }): { code: string } | { handshake: string; M1: string } => {
      if (code && !handshake && !M1) return { code };
      if (!code && handshake && M1) return { handshake, M1 };
      addIssue('Give a code, or a handshake with its M1');
      return z.NEVER;
    }),
  updateEmail: z.strictObject({ email: Email, ...shown, proof_of_work }),
  verifyEmail: z.strictObject({ code: Code, ...shown }),
  updatePhone: z.strictObject({ phone_number: Phone, ...shown, proof_of_work }),
  verifyPhone: z.strictObject({ code: Code, ...shown }),
  updatePassword: z.strictObject({ handshake: token, M1: hex(PROOF_BYTES), srp: Registration }),
};
export type Inputs = { [Name in keyof typeof INPUTS]: z.infer<(typeof INPUTS)[Name]> };
