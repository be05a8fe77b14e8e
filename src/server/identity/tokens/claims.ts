import { z } from 'zod';
import { Id } from '#contract/conventions.ts';
import { HOUR, SECOND } from '../../core/clock.ts';

export const ACCESS_TOKEN_LIFETIME = 1 * HOUR;
export const ACCESS_TOKEN_SECONDS = ACCESS_TOKEN_LIFETIME / SECOND;
/** RFC 9068 §2.1 */
export const ACCESS_TOKEN_TYPE = 'at+jwt';
export const ACCESS_TOKEN_ALGORITHM = 'ES256';

/** Scopes of a signed-in patient; each applies to the patient's own records only. */
export const PATIENT_SCOPE = [
  'patients:read patients:write',
  'subscriptions:read subscriptions:write',
  'appointments:read appointments:write',
].join(' ');

const common = {
  iss: z.string(),
  aud: z.string(),
  client_id: Id,
  /** In Unix seconds, as everywhere in JWT. */
  iat: z.int(),
  exp: z.int(),
  /** UUIDv7, so it also holds the millisecond of issue. */
  jti: Id,
  /** Space-separated. */
  scope: z.string(),
  tenant_id: Id,
  env: z.enum(['sandbox', 'production']),
};
/** The client secret that the token was issued for; revoking it revokes the token. */
const secret_id = Id;

/** Claims of an access token (RFC 9068 §2.2): of an application, a patient, or an impersonation. */
export const AccessTokenClaims = z.union([
  z.object({ ...common, user_type: z.literal('Application'), sub: Id, secret_id }),
  z.object({ ...common, user_type: z.literal('Patient'), sub: Id, secret_id, act: z.object({ sub: Id }) }),
  z.strictObject({ ...common, user_type: z.literal('Patient'), sub: Id, sid: Id }),
]);
export type AccessTokenClaims = z.infer<typeof AccessTokenClaims>;
