import type { WireTokens } from '#sdk/protocol/endpoints.ts';
import type { Services } from '../../core/context.ts';
import { recordAccess } from '../../core/record-access.ts';
import { issueTokens } from '../sessions/issue-tokens.ts';
import { refreshSession } from '../sessions/refresh-session.ts';
import type { CallerInfo } from '../verification/caller.ts';
import { asPatient } from '../verification/request-context.ts';
import { OAuthError } from './oauth-error.ts';
import { publicClientOfForm } from './public-client-of-form.ts';
import type { TokenForm } from './token-form.ts';

/**
 * RFC 6749 §6, with rotation. A token that is unknown, used, expired, ended or of another client is `invalid_grant`.
 */
export async function grantRefresh(services: Services, form: TokenForm, caller: CallerInfo): Promise<WireTokens> {
  const token = form.get('refresh_token');
  if (!token) throw new OAuthError('invalid_request', 'refresh_token is missing.');
  if (form.get('scope')) throw new OAuthError('invalid_scope', 'A session has one scope; leave scope out.');
  const client = await publicClientOfForm(services, form, caller);
  const session = await refreshSession(client.ctx, client.id, token);
  if (!session) throw new OAuthError('invalid_grant', 'The session has ended; sign in again.');
  const { sessionId, patientId } = session;
  const tokens = await issueTokens(client.ctx, session);
  const object = { type: 'Session', id: sessionId };
  const patientCtx = asPatient(client.ctx, patientId, client.id);
  await recordAccess(patientCtx, { action: 'sessions.refresh', object, patients: [patientId] });
  return tokens;
}
