import { fromBase64Url } from './base64-url.ts';
import type { WireTokens } from './protocol/endpoints.ts';

const SECOND_MS = 1000;
/** Clocks that are off by more count as wrong, and only the service's durations are used. */
const TOLERATED_SKEW_MS = 15 * 60 * SECOND_MS;

/**
 * Returns when the tokens expire, by the clock of a device that may be wrong and may be corrected later: the earlier of
 * the duration from now and the token's own `exp`. Either alone would use expired tokens after some changes of the
 * clock.
 */
export function readTokenTimes(tokens: WireTokens, now: number) {
  const { iat, exp } = readClaims(tokens.access_token);
  const byDuration = now + tokens.expires_in * SECOND_MS;
  const byClaim = exp === undefined ? byDuration : exp * SECOND_MS;
  const aheadMs = iat === undefined ? 0 : now - iat * SECOND_MS;
  const refreshExpiresAt = Date.parse(tokens.refresh_expires_at) + aheadMs;
  const accessExpiresAt = Math.max(Math.min(byDuration, byClaim), byDuration - TOLERATED_SKEW_MS);
  return { accessExpiresAt: Math.min(accessExpiresAt, refreshExpiresAt), refreshExpiresAt };
}

/** Not verified: the tokens came from the service over TLS, and only the times are read. */
function readClaims(token: string): { iat?: number; exp?: number } {
  try {
    const [, payload = ''] = token.split('.');
    const { iat, exp } = JSON.parse(new TextDecoder().decode(fromBase64Url(payload)));
    return Number.isFinite(iat) && Number.isFinite(exp) ? { iat, exp } : {};
  } catch {
    return {};
  }
}
