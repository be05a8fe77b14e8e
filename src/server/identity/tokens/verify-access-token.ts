import { decodeJwt, errors, jwtVerify } from 'jose';
import { SECOND } from '../../core/clock.ts';
import type { Services } from '../../core/context.ts';
import { sha256 } from '../../core/crypto.ts';
import { ACCESS_TOKEN_ALGORITHM, ACCESS_TOKEN_SECONDS, ACCESS_TOKEN_TYPE, AccessTokenClaims } from './claims.ts';
import { findKey } from './signing-keys.ts';

const MAX_TOKEN_LENGTH = 4096;
/** How far the clock of the issuing process may run ahead. */
const SKEW = 30 * SECOND;

export type VerifiedToken = { claims: AccessTokenClaims } | { error: 'invalid' | 'expired' | 'wrong_environment' };

/**
 * Verifies an access token. The signature is checked once and the claims are cached by the token's hash; expiry is
 * checked at every call, and the caller must check revocation.
 */
export async function verifyAccessToken(services: Services, token: string): Promise<VerifiedToken> {
  if (token.length > MAX_TOKEN_LENGTH) return { error: 'invalid' };
  const cache = services.identity.verified;
  const hash = sha256(token);
  const nowMs = services.clock.now().getTime();
  const cachedClaims = cache.get(hash);
  if (cachedClaims) return cachedClaims.exp * SECOND > nowMs ? { claims: cachedClaims } : { error: 'expired' };
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid }) => {
        const key = await findKey(services, kid);
        if (!key) throw new errors.JWKSNoMatchingKey();
        return key.publicKey;
      },
      {
        algorithms: [ACCESS_TOKEN_ALGORITHM],
        typ: ACCESS_TOKEN_TYPE,
        issuer: services.config.issuer,
        audience: services.config.baseUrl,
        currentDate: new Date(nowMs),
      },
    );
    const { data: claims } = AccessTokenClaims.safeParse(payload);
    if (!claims || claims.iat * SECOND > nowMs + SKEW || claims.exp - claims.iat > ACCESS_TOKEN_SECONDS)
      return { error: 'invalid' };
    if (claims.env !== services.config.environment) return { error: 'wrong_environment' };
    cache.set(hash, claims);
    return { claims };
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { error: 'expired' };
    if (error instanceof errors.JOSEError || error instanceof TypeError)
      return { error: isOfOtherEnvironment(services, token) ? 'wrong_environment' : 'invalid' };
    throw error;
  }
}

/** Decodes the token without verification; the result only chooses the error code. */
function isOfOtherEnvironment(services: Services, token: string): boolean {
  try {
    const { env } = decodeJwt(token);
    return (env === 'sandbox' || env === 'production') && env !== services.config.environment;
  } catch {
    return false;
  }
}
