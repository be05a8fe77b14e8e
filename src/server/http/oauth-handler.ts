import type { Services } from '../core/context.ts';
import { CarelaneError, type ErrorCode } from '../core/errors.ts';
import { handleTokenRequest, type TokenRequest } from '../identity/oauth/handle-token-request.ts';
import { OAuthError, type OAuthErrorCode } from '../identity/oauth/oauth-error.ts';
import { revokeToken } from '../identity/oauth/revoke-token.ts';
import type { Caller } from '../identity/verification/caller.ts';
import { assertAddressLimit } from './address-limit.ts';
import { BodyTooLarge, type HttpRequest, type HttpResponse } from './handler.ts';
import { SMALL_BODY_BYTES } from './read-json.ts';

type RequestInfo = Pick<Caller, 'requestId' | 'onTenant'>;

/** Errors after which the client may try again later. */
const WAITS: Partial<Record<ErrorCode, OAuthErrorCode>> = {
  rate_limited: 'slow_down',
  service_busy: 'temporarily_unavailable',
};

const CHALLENGE = 'Basic realm="carelane", charset="UTF-8"';
const FORM = 'application/x-www-form-urlencoded';

/** Handles the token endpoint: form in, JSON out, errors as in RFC 6749 §5.2. */
export const handleToken = (services: Services, request: HttpRequest, info: RequestInfo) =>
  handleForm(services, request, info, (form) => handleTokenRequest(services, form));

/** Handles revocation (RFC 7009): an empty response, also for an unknown token. */
export const handleRevocation = (services: Services, request: HttpRequest, info: RequestInfo) =>
  handleForm(services, request, info, (form) => revokeToken(services, form).then(() => null));

async function handleForm(
  services: Services,
  request: HttpRequest,
  info: RequestInfo,
  work: (form: TokenRequest) => Promise<object | null>,
): Promise<HttpResponse> {
  try {
    assertAddressLimit(services, request.ip);
    const body = await readForm(request);
    const authorization = request.header('authorization');
    return secret(
      200,
      await work({ body, authorization, ip: request.ip, userAgent: request.header('user-agent'), ...info }),
    );
  } catch (error) {
    const known = oauthErrorOf(error);
    if (!known) services.log.error({ requestId: info.requestId, err: (error as Error).stack }, 'unexpected error');
    const shown = known ?? new OAuthError('server_error', 'Something went wrong on our side.', { status: 500 });
    // RFC 6749 §5.2: a challenge only for a client that used the header. Other HTTP clients may hide the error behind
    // it.
    const isChallenged = shown.code === 'invalid_client' && request.header('authorization') !== null;
    return secret(
      shown.status,
      { error: shown.code, error_description: shown.message },
      { ...shown.headers, ...(isChallenged && { 'www-authenticate': CHALLENGE }) },
    );
  }
}

function oauthErrorOf(error: unknown): OAuthError | null {
  if (error instanceof OAuthError) return error;
  if (!(error instanceof CarelaneError)) return null;
  const code = WAITS[error.code];
  const { status, headers } = error;
  return code ? new OAuthError(code, error.faults[0]!.detail, { status, headers }) : null;
}

async function readForm(request: HttpRequest): Promise<string> {
  const type = request.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== FORM) throw new OAuthError('invalid_request', `Send the parameters in the body, as ${FORM}.`);
  // RFC 6749 §2.3.1: never in the URL, which ends up in logs.
  if (request.query.size > 0) throw new OAuthError('invalid_request', 'Send the parameters in the body only.');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await request.body(SMALL_BODY_BYTES));
  } catch (error) {
    if (error instanceof BodyTooLarge)
      throw new OAuthError('invalid_request', 'The body is too large.', { status: 413 });
    throw new OAuthError('invalid_request', 'The body could not be read as UTF-8.');
  }
}

/** RFC 6749 §5.1 requires both headers. */
const secret = (status: number, body: object | null, headers: Record<string, string> = {}): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache', ...headers },
  body: body === null ? null : JSON.stringify(body),
});
