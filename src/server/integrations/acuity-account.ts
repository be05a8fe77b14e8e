import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, type CarelaneError } from '#server/core/errors.ts';
import { type Acuity, createAcuity } from '#server/providers/acuity.ts';
import type { Priority } from '#server/providers/request-budget.ts';

/** `accountId` is Acuity's own id, which is stored with each appointment. */
export type AcuityAccount = { provider: Acuity; accountId: string; userId: string; apiKey: string };
type Needs = Pick<Context, 'db' | 'tenantId' | 'cipher' | 'config' | 'providers'> & Partial<Pick<Context, 'keyed'>>;

/** The additional data that binds the encrypted credentials to their tenant. */
export const acuityCredentialsOf = (tenantId: string): string => `integrations/${tenantId}/acuity/credentials`;

/** Returns the tenant's account at Acuity, or null. `turn` is the priority of its calls. */
export async function findAcuityAccount(ctx: Needs, turn?: Priority): Promise<AcuityAccount | null> {
  const row = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider: 'acuity' } });
  if (!row?.credentials || row.status === 'disconnected') return null;
  const credentials = ctx.cipher.open(row.credentials, acuityCredentialsOf(ctx.tenantId));
  const { user_id: userId, api_key: apiKey } = JSON.parse(credentials) as { user_id: string; api_key: string };
  return { provider: createAcuity(ctx, { userId, apiKey }, turn), accountId: row.accountId ?? userId, userId, apiKey };
}

/**
 * Returns the tenant's account at Acuity.
 * @throws `integration_not_connected` (422)
 */
export async function getAcuityAccount(ctx: Needs): Promise<AcuityAccount> {
  const account = await findAcuityAccount(ctx);
  if (!account) throw notConnected();
  return account;
}

/** 422 `integration_not_connected`. `otherwise` says what works without an account. */
export const notConnected = (otherwise?: string): CarelaneError =>
  apiError(
    'integration_not_connected',
    [`${SCHEDULING_PROVIDER.name} is not connected.`, otherwise, 'An administrator can connect it under Integrations.']
      .filter(Boolean)
      .join(' '),
  );
