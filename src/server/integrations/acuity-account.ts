import type { Context } from '#server/core/context.ts';
import { type Acuity, createAcuity } from '#server/providers/acuity.ts';
import type { Turn } from '#server/providers/request-budget.ts';
import { notConnected } from './scheduling-not-connected.ts';

/** `accountId`: Acuity's own, by which appointments remember where they are. */
export type AcuityAccount = { provider: Acuity; accountId: string; userId: string; apiKey: string };
type Needs = Pick<Context, 'db' | 'tenantId' | 'cipher' | 'config' | 'providers'> & Partial<Pick<Context, 'keyed'>>;

/** What the credentials' encryption is bound to. */
export const acuityCredentialsOf = (tenantId: string): string => `integrations/${tenantId}/acuity/credentials`;

/** The tenant's account at Acuity, or null when none is connected. `turn`: who goes first of what it is asked. */
export async function findAcuityAccount(ctx: Needs, turn?: Turn): Promise<AcuityAccount | null> {
  const row = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider: 'acuity' } });
  if (!row?.credentials || row.status === 'disconnected') return null;
  const sealed = ctx.cipher.open(row.credentials, acuityCredentialsOf(ctx.tenantId));
  const { user_id: userId, api_key: apiKey } = JSON.parse(sealed) as { user_id: string; api_key: string };
  return { provider: createAcuity(ctx, { userId, apiKey }, turn), accountId: row.accountId ?? userId, userId, apiKey };
}

/** The same, or 422 `integration_not_connected`. */
export async function getAcuityAccount(ctx: Needs): Promise<AcuityAccount> {
  const account = await findAcuityAccount(ctx);
  if (!account) throw notConnected();
  return account;
}
