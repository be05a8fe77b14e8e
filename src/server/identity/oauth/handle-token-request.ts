import { SCOPES, type Scope } from '#contract/scopes.ts';
import type { WireTokens } from '#sdk/protocol/endpoints.ts';
import { contextFor, type Services } from '../../core/context.ts';
import { isId } from '../../core/ids.ts';
import { record } from '../../core/record.ts';
import { recordAccess } from '../../core/record-access.ts';
import { issueTokens } from '../sessions/issue-tokens.ts';
import { refreshSession } from '../sessions/refresh-session.ts';
import { ACCESS_TOKEN_SECONDS, PATIENT_SCOPE } from '../tokens/claims.ts';
import { issueAccessToken } from '../tokens/issue-access-token.ts';
import type { CallerInfo } from '../verification/caller.ts';
import { asPatient } from '../verification/request-context.ts';
import { type AuthenticatedClient, authenticateClient } from './authenticate-client.ts';
import { OAuthError } from './oauth-error.ts';
import { publicClientOfForm } from './public-client-of-form.ts';
import { recordClientUse } from './record-client-use.ts';
import { readClientCredentials, readTokenForm, type TokenForm, type TokenResponse } from './token-form.ts';

/**
 * RFC 6749 §6, with rotation. A token that is unknown, used, expired, ended or of another client is `invalid_grant`.
 */
async function grantRefresh(services: Services, form: TokenForm, caller: CallerInfo): Promise<WireTokens> {
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

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const PATIENT_EMAIL = 'urn:carelane:params:oauth:token-type:patient-email';
const PATIENT_ID = 'urn:carelane:params:oauth:token-type:patient-id';

/**
 * RFC 8693: issues a token for one patient, with the application as `act`. A missing, archived or malformed subject is
 * `invalid_request` (§2.2.2); a target other than this API is `invalid_target`.
 */
async function grantImpersonation(
  services: Services,
  { client, secretId }: AuthenticatedClient,
  form: TokenForm,
  caller: CallerInfo,
): Promise<TokenResponse> {
  if (!client.scopes.includes('patients:impersonate') && !client.scopes.includes('admin'))
    throw new OAuthError('unauthorized_client', 'This application lacks the scope patients:impersonate.');
  assertSupported(services, form);
  const { tenantId, id: clientId } = client;
  const ctx = contextFor(services, { kind: 'application', tenantId, clientId, scopes: new Set(client.scopes) }, caller);
  const patient = await ctx.db.patient.findUnique({
    where: subject(tenantId, form),
    select: { id: true, archivedAt: true },
  });
  if (!patient) throw new OAuthError('invalid_request', 'The subject_token names no patient of yours.');
  if (patient.archivedAt) throw new OAuthError('invalid_request', 'The patient is archived.');
  const patientId = patient.id;
  const issued = await issueAccessToken(services, { tenantId, clientId, secretId, scope: PATIENT_SCOPE, patientId });
  // Write the audit entry before the token leaves this process.
  await record(ctx.db, ctx, {
    action: 'patients.impersonate',
    object: { type: 'Patient', id: patientId },
    patientId,
    details: { jti: issued.jti },
  });
  return {
    access_token: issued.token,
    issued_token_type: ACCESS_TOKEN,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    scope: PATIENT_SCOPE,
  };
}

function assertSupported({ config }: Services, form: TokenForm): void {
  if (form.get('actor_token') || form.get('actor_token_type'))
    throw new OAuthError('invalid_request', 'The actor is the authenticated client; actor_token is not taken.');
  const requestedType = form.get('requested_token_type');
  if (requestedType && requestedType !== ACCESS_TOKEN)
    throw new OAuthError('invalid_request', `The only token type issued here is ${ACCESS_TOKEN}.`);
  if ([...form.all('resource'), ...form.all('audience')].some((target) => target !== config.baseUrl))
    throw new OAuthError('invalid_target', `The only target is ${config.baseUrl}.`);
  if (form.get('scope'))
    throw new OAuthError('invalid_scope', 'An impersonation token may do what the patient may; leave scope out.');
}

function subject(tenantId: string, form: TokenForm) {
  const token = form.get('subject_token')?.trim();
  if (!token) throw new OAuthError('invalid_request', 'subject_token is missing.');
  const type = form.get('subject_token_type');
  if (type === PATIENT_EMAIL) return { tenantId_email: { tenantId, email: token.toLowerCase() } };
  if (type !== PATIENT_ID)
    throw new OAuthError('invalid_request', `subject_token_type must be ${PATIENT_EMAIL} or ${PATIENT_ID}.`);
  if (!isId(token)) throw new OAuthError('invalid_request', 'The subject_token is not a patient id.');
  return { tenantId_id: { tenantId, id: token } };
}

/** RFC 6749 §4.4: issues a token for the application itself, with all of its scopes or the requested subset. */
async function grantClientCredentials(
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
  const allowed = new Set<string>(granted.includes('admin') ? SCOPES : granted);
  if (names.length > 0 && names.every((name) => allowed.has(name))) return names as Scope[];
  throw new OAuthError('invalid_scope', `The scopes of this application are ${granted.join(' ')}.`);
}

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
