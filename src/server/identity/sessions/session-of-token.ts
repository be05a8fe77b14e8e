import type { Context } from '../../core/context.ts';
import { sha256 } from '../../core/crypto.ts';
import { verifyAccessToken } from '../tokens/verify-access-token.ts';

/** The session that a refresh or access token of this client belongs to, or null. */
export async function sessionOfToken(
  ctx: Context,
  clientId: string,
  token: string,
): Promise<{ id: string; patientId: string } | null> {
  const { tenantId } = ctx;
  const found = await ctx.db.refreshToken.findUnique({
    where: { tenantId_hash: { tenantId, hash: sha256(token) } },
    select: { session: { select: { id: true, patientId: true, clientId: true } } },
  });
  if (found) return found.session.clientId === clientId ? found.session : null;
  const verified = await verifyAccessToken(ctx, token);
  if ('refused' in verified || !('sid' in verified.claims)) return null;
  const { sid, sub, tenant_id, client_id } = verified.claims;
  return tenant_id === tenantId && client_id === clientId ? { id: sid, patientId: sub } : null;
}
