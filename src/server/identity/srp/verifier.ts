import type { Prisma } from '#generated/prisma/client.ts';
import type { Context } from '../../core/context.ts';
import type { Registration } from '../inputs.ts';

type Column = 'verifier' | 'temporary_password';
const boundTo = (tenantId: string, patientId: string, column: Column) =>
  `patient_sign_ins/${tenantId}/${patientId}/${column}`;

/**
 * A registration as columns of a sign-in; the verifier is encrypted, for it lets passwords be guessed offline. An
 * invitation's password is kept encrypted until the own one is there, which must be another.
 */
export const registrationColumns = (
  ctx: Context,
  patientId: string,
  { identity, salt, verifier, kdf }: Registration,
  temporaryPassword?: string,
) => ({
  srpIdentity: identity,
  salt,
  verifier: ctx.cipher.seal(verifier, boundTo(ctx.tenantId, patientId, 'verifier')),
  temporaryPassword: temporaryPassword
    ? ctx.cipher.seal(temporaryPassword, boundTo(ctx.tenantId, patientId, 'temporary_password'))
    : null,
  kdf: kdf as Prisma.InputJsonObject,
});

export const openVerifier = (ctx: Context, patientId: string, sealed: Uint8Array): string =>
  ctx.cipher.open(sealed, boundTo(ctx.tenantId, patientId, 'verifier'));

export const openTemporaryPassword = (ctx: Context, patientId: string, sealed: Uint8Array): string =>
  ctx.cipher.open(sealed, boundTo(ctx.tenantId, patientId, 'temporary_password'));
