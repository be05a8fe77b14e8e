import type { SignInHelp } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';

const boundTo = (tenantId: string, id: string) => `sign_in_helps/${tenantId}/${id}/identity_check`;

/**
 * How a staff user checked the patient's identity; encrypted, because it may describe documents or personal details.
 */
export const sealCheck = ({ cipher, tenantId }: Context, id: string, text: string) =>
  cipher.seal(text, boundTo(tenantId, id));

export const openCheck = (
  { cipher, tenantId }: Context,
  { id, identityCheck }: Pick<SignInHelp, 'id' | 'identityCheck'>,
): string => cipher.open(identityCheck, boundTo(tenantId, id));
