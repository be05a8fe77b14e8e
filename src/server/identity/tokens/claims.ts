import { z } from 'zod';
import { Id } from '#contract/conventions.ts';
import { HOUR, SECOND } from '../../core/clock.ts';

export const ACCESS_TOKEN_LIFETIME = 1 * HOUR;
export const ACCESS_TOKEN_SECONDS = ACCESS_TOKEN_LIFETIME / SECOND;
/** RFC 9068 §2.1 */
export const ACCESS_TOKEN_TYPE = 'at+jwt';
export const ACCESS_TOKEN_ALGORITHM = 'ES256';

const common = {
  iss: z.string(),
  aud: z.string(),
  client_id: Id,
  /** Unix seconds, as all of JWT. */
  iat: z.int(),
  exp: z.int(),
  /** UUIDv7, so that it also tells the millisecond of issue. */
  jti: Id,
  /** Space-separated. */
  scope: z.string(),
  tenant_id: Id,
  env: z.enum(['sandbox', 'production']),
  /** The client secret that bought the token: it dies with it. */
  secret_id: Id,
};

/** What an access token says (RFC 9068 §2.2 and our own: auth.md §1). */
export const AccessTokenClaims = z.discriminatedUnion('user_type', [
  z.object({ ...common, user_type: z.literal('Application'), sub: Id }),
  z.object({ ...common, user_type: z.literal('Patient'), sub: Id, act: z.object({ sub: Id }) }),
]);
export type AccessTokenClaims = z.infer<typeof AccessTokenClaims>;
