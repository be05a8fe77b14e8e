import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { type Acuity, createAcuity } from '#server/providers/acuity.ts';

export type AcuityAccount = { acuity: Acuity; userId: string; apiKey: string };
type Needs = Pick<Context, 'db' | 'tenantId' | 'cipher' | 'config' | 'kept'>;

/** What the credentials' encryption is bound to. */
export const acuityCredentialsOf = (tenantId: string): string => `integrations/${tenantId}/acuity/credentials`;

/** The tenant's account at Acuity, or null when none is connected. */
export async function findAcuityAccount(ctx: Needs): Promise<AcuityAccount | null> {
  const row = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider: 'acuity' } });
  if (!row?.credentials || row.status === 'disconnected') return null;
  const sealed = ctx.cipher.open(row.credentials, acuityCredentialsOf(ctx.tenantId));
  const { user_id: userId, api_key: apiKey } = JSON.parse(sealed) as { user_id: string; api_key: string };
  return { acuity: createAcuity(ctx, { userId, apiKey }), userId, apiKey };
}

/** The tenant's account at Acuity, or 422 `integration_not_connected`. */
export async function getAcuityAccount(ctx: Needs): Promise<AcuityAccount> {
  const account = await findAcuityAccount(ctx);
  if (!account)
    throw refuse(
      'integration_not_connected',
      'Acuity is not connected. An administrator can connect it under Integrations.',
    );
  return account;
}
