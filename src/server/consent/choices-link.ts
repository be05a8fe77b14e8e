import type { Context, Services } from '#server/core/context.ts';
import { keyedHash, sameSecret } from '#server/core/crypto.ts';
import { tenantOfToken, tokenOfTenant } from '#server/core/ids.ts';

const ID_BYTES = 16;
const PROOF_BYTES = 18;

const proofOf = (services: Pick<Services, 'cipher'>, tenantId: string, patientId: string): Buffer =>
  keyedHash(services, 'choices-link', tenantId, patientId).subarray(0, PROOF_BYTES);

/**
 * Returns the token of a patient's page of message choices. Reminders contain it, so it never expires and is not
 * stored; its holder can end or resume reminders, and sees nothing of the patient.
 */
function choicesToken(ctx: Pick<Context, 'cipher' | 'tenantId'>, patientId: string): string {
  const id = Buffer.from(patientId.replaceAll('-', ''), 'hex');
  const proof = proofOf(ctx, ctx.tenantId, patientId);
  return tokenOfTenant(ctx.tenantId, Buffer.concat([id, proof]).toString('base64url'));
}

/** `page`: for the text of a message. `oneClick`: for its `List-Unsubscribe` header (RFC 8058). */
export type ChoicesLink = { page: string; oneClick: string };

export function choicesLink(ctx: Pick<Context, 'cipher' | 'tenantId' | 'config'>, patientId: string): ChoicesLink {
  const token = choicesToken(ctx, patientId);
  const { publicUrl } = ctx.config;
  return { page: `${publicUrl}/choices#${token}`, oneClick: `${publicUrl}/api/unsubscribe/${token}` };
}

/** Returns the patient of a token at this clinic, or null for a forged one. */
export function patientOfChoices(ctx: Pick<Context, 'cipher' | 'tenantId'>, token: string): string | null {
  const [, rest = ''] = token.split('.');
  const bytes = Buffer.from(rest, 'base64url');
  if (tenantOfToken(token) !== ctx.tenantId || bytes.length !== ID_BYTES + PROOF_BYTES) return null;
  const hex = bytes.subarray(0, ID_BYTES).toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  // Compares the whole text, because base64url encodes the same bytes in several ways.
  return sameSecret(token, choicesToken(ctx, id)) ? id : null;
}
