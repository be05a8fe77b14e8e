import { ZodError } from 'zod';
import type { Services } from '../core/context.ts';
import { apiError, CarelaneError } from '../core/errors.ts';
import { fieldErrors } from '../core/field-errors.ts';
import { newId } from '../core/ids.ts';
import { serverMetadata } from '../identity/oauth/server-metadata.ts';
import { IDENTITY_ENDPOINTS, type IdentityEndpoint } from '../identity/patients/endpoints.ts';
import { publishedKeys } from '../identity/tokens/signing-keys.ts';
import type { Caller } from '../identity/verification/caller.ts';
import { assertAddressLimit } from './address-limit.ts';
import { corsHeaders, preflight } from './cors.ts';
import type { Handler, HttpRequest, HttpResponse } from './handler.ts';
import { readIdempotencyKey } from './idempotency.ts';
import { handleRevocation, handleToken } from './oauth-handler.ts';
import { parseBody, readText, SMALL_BODY_BYTES } from './read-json.ts';
import { respondError } from './respond.ts';

const PREFIX = '/identity';
/** These routes report even a rate limit in the format of OAuth. */
const OAUTH = '/identity/oauth2/';
/** Half of the time between a new key's publication and its first use. */
const PUBLIC_SECONDS = 300;

type RequestInfo = Pick<Caller, 'requestId' | 'onTenant'>;
type EndpointHandler = (services: Services, request: HttpRequest, info: RequestInfo) => Promise<HttpResponse>;
type Row = { method: string; path: string; handle: EndpointHandler };

const ROWS: Row[] = [
  { method: 'POST', path: '/identity/oauth2/token', handle: handleToken },
  { method: 'POST', path: '/identity/oauth2/revoke', handle: handleRevocation },
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
  return async (request) => {
    const requestId = newId(services.clock.now());
    let tenantId: string | null = null;
    const onTenant = (id: string) => {
      tenantId = id;
    };
    const response = await handle(services, request, { requestId, onTenant });
    const isOpen = 'access-control-allow-origin' in response.headers;
    const cors = isOpen ? {} : await corsHeaders(services, request, tenantId);
    response.headers = { ...cors, ...response.headers, 'request-id': requestId };
    return response;
  };
}

async function handle(services: Services, request: HttpRequest, info: RequestInfo): Promise<HttpResponse> {
  const { requestId } = info;
  try {
    const isPreflight = request.method === 'OPTIONS';
    if (isPreflight || !request.path.startsWith(OAUTH)) assertAddressLimit(services, request.ip);
    if (isPreflight) return await preflight(services, request);
    const rows = ROWS.filter((row) => row.path === request.path);
    if (rows.length === 0) throw apiError('route_not_found', `There is no ${request.path.slice(0, 200)}.`);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const row = rows.find((candidate) => candidate.method === method);
    const allow = rows.map((row) => row.method).join(', ');
    if (!row)
      throw new CarelaneError(
        { code: 'method_not_allowed', detail: `This address takes ${allow}.` },
        { headers: { allow } },
      );
    return await row.handle(services, request, info);
  } catch (error) {
    if (error instanceof CarelaneError) return respondError(error, requestId);
    services.log.error({ requestId, err: (error as Error).stack }, 'unexpected error');
    return respondError(apiError('internal_error', 'Something went wrong on our side.'), requestId);
  }
}

function endpointHandler({ input, status, run }: IdentityEndpoint): EndpointHandler {
  return async (services, request, info) => {
    const caller: Caller = {
      ip: request.ip,
      userAgent: request.header('user-agent'),
      ...info,
      idempotencyKey: request.method === 'GET' ? null : readIdempotencyKey(request),
    };
    const values = input ? read(input, await readText(request, SMALL_BODY_BYTES), request) : null;
    const body = await run(services, caller, request.header('authorization'), values);
    const headers: Record<string, string> = { 'cache-control': 'no-store' };
    if (status === 204 || body === undefined) return { status, headers, body: null };
    return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
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
