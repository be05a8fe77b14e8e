import { z } from 'zod';
import { UpdatePatientInput } from '#contract/patients.ts';
import { groupNumber, hex, Registration } from '../srp/registration.ts';

const PROOF_BYTES = 32;
const ATTEMPT_BYTES = 32;

const client_id = z.string().max(100);
const Phone = z.string().max(40);
const Email = z.email().max(254).toLowerCase();
const Code = z.string().regex(/^(?:\d{6}|\d{10})$/, 'Must be six or ten digits');
const token = z.string().min(1).max(300);
/** Secret of a known device; an unknown secret counts as none. */
const device = token.optional();
/** Secret of the device that signs up or requests a reset: only it can finish the step. */
const attempt = hex(ATTEMPT_BYTES);
/** Shown in addition to an access token; one of them suffices. */
const shown = { device, proof: token.optional() };
/** Solution of the challenge in the error. */
const proof_of_work = z.strictObject({ challenge: z.string().max(100), nonce: z.string().max(100) }).optional();
const Attributes = UpdatePatientInput.omit({ id: true, email: true })
  .extend({ accepted_terms_of_service: z.literal(true).optional() })
  .default({});

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
