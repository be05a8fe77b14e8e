import type { WireTokens } from '#sdk/protocol/endpoints.ts';
import type { Services } from '../../core/context.ts';
import type { CallerInfo } from '../verification/caller.ts';
import { authenticateClient } from './authenticate-client.ts';
import { grantClientCredentials } from './grant-client-credentials.ts';
import { grantImpersonation, TOKEN_EXCHANGE } from './grant-impersonation.ts';
import { grantRefresh } from './grant-refresh.ts';
import { OAuthError } from './oauth-error.ts';
import { recordClientUse } from './record-client-use.ts';
import { readClientCredentials, readTokenForm, type TokenResponse } from './token-form.ts';

export const GRANT_TYPES = ['client_credentials', 'refresh_token', TOKEN_EXCHANGE];

export type TokenRequest = {
  /** `application/x-www-form-urlencoded` */
  body: string;
  authorization: string | null;
} & CallerInfo;

/**
 * Handles a request to the token endpoint.
 * @throws `OAuthError`
 */
export async function handleTokenRequest(
  services: Services,
  request: TokenRequest,
): Promise<TokenResponse | WireTokens> {
  const form = readTokenForm(request.body);
  const grantType = form.get('grant_type');
  if (!grantType) throw new OAuthError('invalid_request', 'grant_type is missing.');
  if (grantType === 'refresh_token') return grantRefresh(services, form, request);
  const credentials = readClientCredentials(request.authorization, form);
  const authenticated = await authenticateClient(services, credentials, request);
  request.onTenant?.(authenticated.client.tenantId);
  recordClientUse(services, authenticated.client, authenticated.secretId);
  switch (grantType) {
    case 'client_credentials':
      return grantClientCredentials(services, authenticated, form, request);
    case TOKEN_EXCHANGE:
      return grantImpersonation(services, authenticated, form, request);
    default:
      throw new OAuthError('unsupported_grant_type', `The grant types here are ${GRANT_TYPES.join(', ')}.`);
  }
}
