import { SCOPES, type Scope } from '#contract/scopes.ts';
import { contextFor, type Services } from '../../core/context.ts';
import { recordAccess } from '../../core/record-access.ts';
import { ACCESS_TOKEN_SECONDS } from '../tokens/claims.ts';
import { issueAccessToken } from '../tokens/issue-access-token.ts';
import type { CallerInfo } from '../verification/caller.ts';
import type { AuthenticatedClient } from './authenticate-client.ts';
import { OAuthError } from './oauth-error.ts';
import type { TokenForm, TokenResponse } from './token-form.ts';

/** RFC 6749 §4.4: issues a token for the application itself, with all of its scopes or the requested subset. */
export async function grantClientCredentials(
  services: Services,
  { client, secretId }: AuthenticatedClient,
  form: TokenForm,
  caller: CallerInfo,
): Promise<TokenResponse> {
  const scope = narrow(client.scopes, form.get('scope')).join(' ');
  const { tenantId, id: clientId } = client;
  const { token } = await issueAccessToken(services, { tenantId, clientId, secretId, scope });
  const ctx = contextFor(services, { kind: 'application', tenantId, clientId, scopes: new Set() }, caller);
  // Write the audit entry before the token leaves this process.
  await recordAccess(ctx, { action: 'tokens.issue', object: { type: 'Application', id: clientId } });
  return { access_token: token, token_type: 'Bearer', expires_in: ACCESS_TOKEN_SECONDS, scope };
}

function narrow(granted: Scope[], requested: string | undefined): Scope[] {
  if (requested === undefined) return granted;
  const names = [...new Set(requested.split(' ').filter(Boolean))];
  const may = new Set<string>(granted.includes('admin') ? SCOPES : granted);
  if (names.length > 0 && names.every((name) => may.has(name))) return names as Scope[];
  throw new OAuthError('invalid_scope', `The scopes of this application are ${granted.join(' ')}.`);
}
