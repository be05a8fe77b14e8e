import type { Prisma } from '#generated/prisma/client.ts';
import type { Context } from '../../core/context.ts';
import type { Registration } from './registration.ts';

const boundTo = (tenantId: string, patientId: string) => `patient_sign_ins/${tenantId}/${patientId}/verifier`;

/** A registration as columns of a sign-in; the verifier is encrypted, for it lets passwords be guessed offline. */
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
