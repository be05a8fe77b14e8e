import type { WireTokens, WireUser } from '#sdk/protocol/endpoints.ts';
import type { Context } from '../../core/context.ts';
import { ACCESS_TOKEN_SECONDS, PATIENT_SCOPE } from '../tokens/claims.ts';
import { issueAccessToken } from '../tokens/issue-access-token.ts';
import type { BegunSession } from './begin-session.ts';
import { presentUser } from './present-user.ts';

/**
 * Builds the response of a sign-in or refresh, after its transaction. `loadedUser` saves a read when the caller has the
 * user.
 */
export async function issueTokens(ctx: Context, session: BegunSession, loadedUser?: WireUser): Promise<WireTokens> {
  const { sessionId, patientId, clientId, refreshToken, expiresAt, device } = session;
  const user = loadedUser ?? (await presentUser(ctx.db, ctx, patientId));
  const grant = { tenantId: ctx.tenantId, clientId, scope: PATIENT_SCOPE, sessionId, patientId };
  const { token } = await issueAccessToken(ctx, grant);
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    refresh_token: refreshToken,
    refresh_expires_at: expiresAt.toISOString(),
    user,
    ...(device && { device }),
  };
}
