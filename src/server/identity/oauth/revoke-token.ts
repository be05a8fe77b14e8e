import type { Context, Services } from '../../core/context.ts';
import { sha256 } from '../../core/crypto.ts';
import { endSessions } from '../sessions/end-sessions.ts';
import { verifyAccessToken } from '../tokens/verify-access-token.ts';
import { asPatient } from '../verification/request-context.ts';
import type { TokenRequest } from './handle-token-request.ts';
import { OAuthError } from './oauth-error.ts';
import { publicClientOfForm } from './public-client-of-form.ts';
import { readTokenForm } from './token-form.ts';

/**
 * RFC 7009 for patients' apps: a refresh or access token ends the whole session. An unknown token counts as already
 * revoked. An application's own tokens end with its secret: `unsupported_token_type`.
 * @throws `OAuthError`
 */
export async function revokeToken(services: Services, request: TokenRequest): Promise<void> {
  const form = readTokenForm(request.body);
  const token = form.get('token');
  if (!token) throw new OAuthError('invalid_request', 'token is missing.');
  if (request.authorization !== null || form.get('client_secret'))
    throw new OAuthError('unsupported_token_type', 'Tokens of an application are revoked with its secret.');
  const { id: clientId, ctx } = await publicClientOfForm(services, form, request);
  const session = await sessionOfToken(ctx, clientId, token);
  if (!session) return;
  const patientCtx = asPatient(ctx, session.patientId, clientId);
  await ctx.db.$transaction((tx) => endSessions(tx, patientCtx, { id: session.id }, 'revoked'));
}

/** Returns the session of a refresh or access token that this client holds, or null. */
async function sessionOfToken(
  ctx: Context,
  clientId: string,
  token: string,
): Promise<{ id: string; patientId: string } | null> {
  const { tenantId } = ctx;
  const refreshToken = await ctx.db.refreshToken.findUnique({
    where: { tenantId_hash: { tenantId, hash: sha256(token) } },
    select: { session: { select: { id: true, patientId: true, clientId: true } } },
  });
  if (refreshToken) return refreshToken.session.clientId === clientId ? refreshToken.session : null;
  const verified = await verifyAccessToken(ctx, token);
  if ('error' in verified || !('sid' in verified.claims)) return null;
  const { sid, sub, tenant_id, client_id } = verified.claims;
  return tenant_id === tenantId && client_id === clientId ? { id: sid, patientId: sub } : null;
}
