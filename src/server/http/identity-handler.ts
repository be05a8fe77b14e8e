import { ZodError } from 'zod';
import type { Caller } from '#server/identity/index.ts';
import {
  handleTokenRequest,
  IDENTITY_ENDPOINTS,
  type IdentityEndpoint,
  OAuthError,
  type OAuthErrorCode,
  publishedKeys,
  revokeToken,
  serverMetadata,
  type TokenRequest,
} from '#server/identity/index.ts';
import type { Services } from '../core/context.ts';
import { apiError, CarelaneError, type ErrorCode } from '../core/errors.ts';
import { fieldErrors } from '../core/field-errors.ts';
import { assertAddressLimit } from './address-limit.ts';
import { assertMethod, createHandler, logUnexpectedError, type RequestInfo } from './create-handler.ts';
import { BodyTooLarge, type Handler, type HttpRequest, type HttpResponse } from './handler.ts';
import { readIdempotencyKey } from './idempotency.ts';
import { parseBody, readText, SMALL_BODY_BYTES } from './read-json.ts';

/** Errors after which the client may try again later. */
const WAITS: Partial<Record<ErrorCode, OAuthErrorCode>> = {
  rate_limited: 'slow_down',
  service_busy: 'temporarily_unavailable',
};

const CHALLENGE = 'Basic realm="carelane", charset="UTF-8"';
const FORM = 'application/x-www-form-urlencoded';

/** Handles the token endpoint: form in, JSON out, errors as in RFC 6749 §5.2. */
const handleToken = (services: Services, request: HttpRequest, info: RequestInfo) =>
  handleForm(services, request, info, (form) => handleTokenRequest(services, form));

/** Handles revocation (RFC 7009): an empty response, also for an unknown token. */
const handleRevocation = (services: Services, request: HttpRequest, info: RequestInfo) =>
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
    if (!known) logUnexpectedError(services, { requestId: info.requestId, handler: 'oauth' }, error);
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

const PREFIX = '/identity';
/** Half of the time between a new key's publication and its first use. */
const PUBLIC_SECONDS = 300;

const TOKEN = '/identity/oauth2/token';
const REVOCATION = '/identity/oauth2/revoke';
/** These routes count requests themselves, to report even that limit in the format of OAuth. */
const OAUTH = new Set([TOKEN, REVOCATION]);

type EndpointHandler = (services: Services, request: HttpRequest, info: RequestInfo) => Promise<HttpResponse>;
type Row = { method: string; path: string; handle: EndpointHandler };

const ROWS: Row[] = [
  { method: 'POST', path: TOKEN, handle: handleToken },
  { method: 'POST', path: REVOCATION, handle: handleRevocation },
  {
    method: 'GET',
    path: '/identity/jwks.json',
    handle: async (services) => published({ keys: (await publishedKeys(services)).map((key) => key.publicJwk) }),
  },
  {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server/identity',
    handle: async ({ config }) => published(serverMetadata(config)),
  },
  ...IDENTITY_ENDPOINTS.map((endpoint) => ({
    method: endpoint.method,
    path: PREFIX + endpoint.path,
    handle: endpointHandler(endpoint),
  })),
];

/**
 * Handles the auth server's routes. They use the protocols' own credentials; only changes of a patient's sign-in
 * methods take an access token.
 */
export function createIdentityHandler(services: Services): Handler {
  return createHandler(services, {
    name: 'identity',
    hasAddressLimit: ({ method, path }) => !(method === 'POST' && OAUTH.has(path)),
    cors: true,
    handle(request, info) {
      const rows = ROWS.filter((row) => row.path === request.path);
      if (rows.length === 0) throw apiError('route_not_found', `There is no ${request.path.slice(0, 200)}.`);
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      const allowed = rows.map((row) => row.method);
      assertMethod(method, allowed);
      return rows[allowed.indexOf(method)]!.handle(services, request, info);
    },
  });
}

function endpointHandler({ input, status, run }: IdentityEndpoint): EndpointHandler {
  return async (services, request, info): Promise<HttpResponse> => {
    const caller: Caller = {
      ip: request.ip,
      userAgent: request.header('user-agent'),
      ...info,
      idempotencyKey: request.method === 'GET' ? null : readIdempotencyKey(request),
    };
    const values = input ? read(input, await readText(request, SMALL_BODY_BYTES), request) : null;
    const body = await run(services, caller, request.header('authorization'), values);
    if (status === 204 || body === undefined) return { status, headers: {}, body: null };
    return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  };
}

function read(input: NonNullable<IdentityEndpoint['input']>, text: string, request: HttpRequest): unknown {
  // As in RFC 6749 §2.3.1: never in the URL, which ends up in logs.
  if (request.query.size > 0) throw apiError('malformed_request', 'Send the parameters in the body only.');
  const body = text.trim() === '' ? {} : parseBody(text, request);
  try {
    return input.parse(body);
  } catch (error) {
    if (error instanceof ZodError) throw new CarelaneError(fieldErrors(error, new Set(), body));
    throw error;
  }
}

const published = (body: object): HttpResponse => ({
  status: 200,
  headers: {
    'content-type': 'application/json',
    'cache-control': `public, max-age=${PUBLIC_SECONDS}`,
    'access-control-allow-origin': '*',
  },
  body: JSON.stringify(body),
});
