import type { Services } from '../core/context.ts';
import { CarelaneError, refuse } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { answerTokenRequest } from '../identity/oauth/answer-token-request.ts';
import { OAuthError } from '../identity/oauth/oauth-error.ts';
import { serverMetadata } from '../identity/oauth/server-metadata.ts';
import { publishedKeys } from '../identity/tokens/signing-keys.ts';
import { respondError } from './respond.ts';
import { BodyTooLarge, type Door, type DoorRequest, type DoorResponse } from './wire.ts';

const FORM = 'application/x-www-form-urlencoded';
const BODY_LIMIT_BYTES = 64 * 1024;
/** Half of the time that a new key is published before its use. */
const PUBLIC_SECONDS = 300;

type Handler = (services: Services, request: DoorRequest, requestId: string) => Promise<DoorResponse>;

const ROUTES: Record<string, { method: 'GET' | 'POST'; handle: Handler }> = {
  '/identity/oauth2/token': { method: 'POST', handle: answerToken },
  '/identity/jwks.json': {
    method: 'GET',
    handle: async (services) => open({ keys: (await publishedKeys(services)).map((key) => key.publicJwk) }),
  },
  '/.well-known/oauth-authorization-server/identity': {
    method: 'GET',
    handle: async ({ config }) => open(serverMetadata(config)),
  },
};

/** The auth server's door: the protocols' own proofs, never a session, never an access token. */
export function createIdentityDoor(services: Services): Door {
  return async (request) => {
    const requestId = newId(services.clock.now());
    const response = await answer(services, request, requestId);
    response.headers['request-id'] = requestId;
    return response;
  };
}

async function answer(services: Services, request: DoorRequest, requestId: string): Promise<DoorResponse> {
  try {
    const route = Object.hasOwn(ROUTES, request.path) ? ROUTES[request.path]! : null;
    if (!route) throw refuse('route_not_found', `There is no ${request.path.slice(0, 200)}.`);
    if (request.method !== route.method && !(request.method === 'HEAD' && route.method === 'GET'))
      throw new CarelaneError(
        { code: 'method_not_allowed', detail: `This address takes ${route.method}.` },
        { headers: { allow: route.method } },
      );
    return await route.handle(services, request, requestId);
  } catch (error) {
    if (error instanceof CarelaneError) return respondError(error, requestId);
    services.log.error({ requestId, err: (error as Error).stack }, 'unexpected error');
    return respondError(refuse('internal_error', 'Something went wrong on our side.'), requestId);
  }
}

async function answerToken(services: Services, request: DoorRequest, requestId: string): Promise<DoorResponse> {
  try {
    const body = await readForm(request);
    const authorization = request.header('authorization');
    return secret(200, await answerTokenRequest(services, { body, authorization, ip: request.ip, requestId }));
  } catch (error) {
    const known = error instanceof OAuthError ? error : null;
    if (!known) services.log.error({ requestId, err: (error as Error).stack }, 'unexpected error');
    const shown = known ?? new OAuthError('server_error', 'Something went wrong on our side.', { status: 500 });
    return secret(shown.status, { error: shown.code, error_description: shown.message }, shown.headers);
  }
}

async function readForm(request: DoorRequest): Promise<string> {
  const type = request.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== FORM) throw new OAuthError('invalid_request', `Send the parameters in the body, as ${FORM}.`);
  // RFC 6749 §2.3.1: never in the address, which ends in logs.
  if (request.query.size > 0) throw new OAuthError('invalid_request', 'Send the parameters in the body only.');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await request.body(BODY_LIMIT_BYTES));
  } catch (error) {
    if (error instanceof BodyTooLarge)
      throw new OAuthError('invalid_request', 'The body is too large.', { status: 413 });
    throw new OAuthError('invalid_request', 'The body could not be read as UTF-8.');
  }
}

/** RFC 6749 §5.1 asks for both headers. */
const secret = (status: number, body: object, headers: Record<string, string> = {}): DoorResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache', ...headers },
  body: JSON.stringify(body),
});

const open = (body: object): DoorResponse => ({
  status: 200,
  headers: {
    'content-type': 'application/json',
    'cache-control': `public, max-age=${PUBLIC_SECONDS}`,
    'access-control-allow-origin': '*',
  },
  body: JSON.stringify(body),
});
