import { contextFor, type Services } from '../../core/context.ts';
import { isId } from '../../core/ids.ts';
import { record } from '../../core/record.ts';
import { ACCESS_TOKEN_SECONDS, PATIENT_SCOPE } from '../tokens/claims.ts';
import { issueAccessToken } from '../tokens/issue-access-token.ts';
import type { CallerInfo } from '../verification/caller.ts';
import type { AuthenticatedClient } from './authenticate-client.ts';
import { OAuthError } from './oauth-error.ts';
import type { TokenForm, TokenResponse } from './token-form.ts';

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const PATIENT_EMAIL = 'urn:carelane:params:oauth:token-type:patient-email';
const PATIENT_ID = 'urn:carelane:params:oauth:token-type:patient-id';

/**
 * RFC 8693: issues a token for one patient, with the application as `act`. A missing, archived or malformed subject is
 * `invalid_request` (§2.2.2); a target other than this API is `invalid_target`.
 */
export async function grantImpersonation(
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
  const wanted = form.get('requested_token_type');
  if (wanted && wanted !== ACCESS_TOKEN)
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
