import { SCOPES } from '#contract/scopes.ts';
import type { Config } from '../../core/config.ts';
import { GRANT_TYPES } from './handle-token-request.ts';

/** RFC 8414 §2 metadata. There is no authorization endpoint, so `response_types_supported` is empty. */
export const serverMetadata = ({ issuer }: Config) => ({
  issuer,
  token_endpoint: `${issuer}/oauth2/token`,
  revocation_endpoint: `${issuer}/oauth2/revoke`,
  userinfo_endpoint: `${issuer}/userinfo`,
  jwks_uri: `${issuer}/jwks.json`,
  grant_types_supported: GRANT_TYPES,
  response_types_supported: [],
  scopes_supported: SCOPES,
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  revocation_endpoint_auth_methods_supported: ['none'],
});
