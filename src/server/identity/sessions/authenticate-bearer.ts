import type { ErrorCode } from '#contract/errors.ts';
import { SCOPES, type Scope } from '#contract/scopes.ts';
import type { Actor } from '../../core/actor.ts';
import type { Services } from '../../core/context.ts';
import { CarelaneError } from '../../core/errors.ts';
import type { AccessTokenClaims } from '../tokens/claims.ts';
import { acceptsToken, type ClientState, clientState } from '../tokens/client-state.ts';
import { verifyAccessToken } from '../tokens/verify-access-token.ts';
import { isSessionLive } from './is-session-live.ts';

const REALM = 'Bearer realm="carelane"';

/**
 * Resolves an `Authorization` header to an actor.
 * @throws `missing_token`, `invalid_token`, `expired_token`, `wrong_environment`: 401 with the challenge of RFC 6750 §3
 */
export async function authenticateBearer(services: Services, authorization: string | null): Promise<Actor> {
  const token = /^bearer +([\w~+/.=-]+) *$/i.exec(authorization ?? '')?.[1];
  if (!token) {
    if (/^bearer( |$)/i.test(authorization ?? ''))
      throw unauthorized('invalid_token', 'The access token is malformed.');
    throw unauthorized('missing_token', 'Send an access token: "Authorization: Bearer <token>".');
  }
  const verified = await verifyAccessToken(services, token);
  if ('error' in verified) throw tokenError(services, verified.error);
  const { claims } = verified;
  const client = await clientState(services, claims.tenant_id, claims.client_id);
  if (!client || !(await isStillValid(services, claims, client)))
    throw unauthorized('invalid_token', 'The access token has been revoked; get a new one.');
  return actorOf(claims, client);
}

async function isStillValid(services: Services, claims: AccessTokenClaims, client: ClientState): Promise<boolean> {
  if (!acceptsToken(client, claims)) return false;
  if (claims.user_type === 'Application') return true;
  if ('act' in claims && !stillHasScope(client, 'patients:impersonate')) return false;
  if ('sid' in claims && !(await isSessionLive(services, claims))) return false;
  return isPatientLive(services, claims.tenant_id, claims.sub);
}

/** An application may have lost scopes since the token was issued. */
const stillHasScope = ({ scopes }: ClientState, scope: Scope): boolean =>
  scopes.includes(scope) || scopes.includes('admin');

function actorOf(claims: AccessTokenClaims, client: ClientState): Actor {
  const { tenant_id: tenantId, client_id: clientId } = claims;
  if ('sid' in claims)
    return {
      kind: 'patient',
      tenantId,
      clientId,
      patientId: claims.sub,
      impersonatedBy: null,
      sessionId: claims.sid,
    };
  if (claims.user_type === 'Patient')
    return { kind: 'patient', tenantId, clientId, patientId: claims.sub, impersonatedBy: claims.act.sub };
  const granted = claims.scope.split(' ').filter((name): name is Scope => SCOPES.includes(name as Scope));
  // A token with `admin` is limited to the scopes that the application has now.
  const scopes = granted.includes('admin') ? client.scopes : granted.filter((scope) => stillHasScope(client, scope));
  return { kind: 'application', tenantId, clientId, scopes: new Set(scopes) };
}

function tokenError({ config }: Services, reason: 'invalid' | 'expired' | 'wrong_environment'): CarelaneError {
  if (reason === 'expired') return unauthorized('expired_token', 'The access token has expired; get a new one.');
  if (reason === 'invalid') return unauthorized('invalid_token', 'The access token is not one of ours.');
  return unauthorized(
    'wrong_environment',
    `The access token belongs to another environment; this is ${config.environment}.`,
  );
}

/** RFC 6750 §3.1: a request without a token gets the bare challenge, every other failure `invalid_token`. */
export function unauthorized(code: ErrorCode, detail: string): CarelaneError {
  const description = detail.replaceAll('"', "'");
  const challenge =
    code === 'missing_token' ? REALM : `${REALM}, error="invalid_token", error_description="${description}"`;
  return new CarelaneError({ code, detail }, { headers: { 'www-authenticate': challenge } });
}

/** Returns whether the patient exists and is not archived. The result is cached for up to one second. */
function isPatientLive(services: Services, tenantId: string, patientId: string): Promise<boolean> {
  return services.identity.livePatients.get(`${tenantId}/${patientId}`, async () => {
    const where = { id: patientId, archivedAt: null };
    return (await services.database.forTenant(tenantId).patient.count({ where })) === 1;
  });
}
