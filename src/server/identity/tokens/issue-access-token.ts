import { sign } from 'node:crypto';
import { SECOND } from '../../core/clock.ts';
import type { Services } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';
import { ACCESS_TOKEN_ALGORITHM, ACCESS_TOKEN_SECONDS, ACCESS_TOKEN_TYPE, type AccessTokenClaims } from './claims.ts';
import { currentKey } from './signing-keys.ts';

/** An application's own token, a token to impersonate a patient, or a token of a patient's session. */
type Grant = { tenantId: string; clientId: string; scope: string } & (
  | { secretId: string; patientId?: string }
  | { sessionId: string; patientId: string }
);
export type IssuedToken = { token: string; jti: string };

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Signs an access token that is valid for 60 minutes. Uses the synchronous `sign` of Node: WebCrypto goes through the
 * thread pool, which costs more than the signature.
 */
export async function issueAccessToken(services: Services, grant: Grant): Promise<IssuedToken> {
  const key = await currentKey(services);
  const now = services.clock.now();
  const iat = Math.floor(now.getTime() / SECOND);
  const jti = newId(now);
  const common = {
    iss: services.config.issuer,
    aud: services.config.baseUrl,
    client_id: grant.clientId,
    iat,
    exp: iat + ACCESS_TOKEN_SECONDS,
    jti,
    scope: grant.scope,
    tenant_id: grant.tenantId,
    env: services.config.environment,
  };
  const claims = claimsOf(grant, common);
  const header = { alg: ACCESS_TOKEN_ALGORITHM, typ: ACCESS_TOKEN_TYPE, kid: key.kid };
  const input = `${encode(header)}.${encode(claims)}`;
  // JWS uses the concatenation of r and s (RFC 7518 §3.4), not DER.
  const signature = sign('sha256', Buffer.from(input), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return { token: `${input}.${signature.toString('base64url')}`, jti };
}

function claimsOf(grant: Grant, common: Omit<AccessTokenClaims, 'user_type' | 'sub'>): object {
  if ('sessionId' in grant)
    return { ...common, user_type: 'Patient', sub: grant.patientId, sid: grant.sessionId } satisfies AccessTokenClaims;
  const { secretId: secret_id, clientId, patientId } = grant;
  if (!patientId) return { ...common, user_type: 'Application', sub: clientId, secret_id } satisfies AccessTokenClaims;
  return {
    ...common,
    user_type: 'Patient',
    sub: patientId,
    secret_id,
    act: { sub: clientId },
  } satisfies AccessTokenClaims;
}
