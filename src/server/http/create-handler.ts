import { TRPCError } from '@trpc/server';
import { isLocalOrigin } from '#contract/websites.ts';
import { tenantsOfOrigin } from '#server/identity/index.ts';
import type { Services } from '../core/context.ts';
import { apiError, CarelaneError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { assertAddressLimit } from './address-limit.ts';
import type { Handler, HttpRequest, HttpResponse } from './handler.ts';
import { respondError } from './respond.ts';

export type RequestInfo = {
  requestId: string;
  /** Reports the tenant whose data the response holds: only that tenant's websites may read it. */
  onTenant(tenantId: string): void;
};

type HandlerOptions<Body> = {
  /** Names the handler in the log. */
  name: string;
  /** Whether the request counts against the limit of its address before all other checks. By default each does. */
  hasAddressLimit?(request: HttpRequest): boolean;
  /** The methods of all the handler's paths; without it, `handle` checks the method of the path. */
  methods?: readonly string[];
  /** Lets scripts of allowed websites read the responses. */
  cors?: boolean;
  /** Adds to each error a message for the visitor of a page. */
  forPeople?: boolean;
  /** The `detail` of an unexpected error. */
  internalError?: string;
  /** Converts an exception; null for an unexpected one. By default only a `CarelaneError` is expected. */
  toCarelaneError?(cause: unknown): CarelaneError | null;
  handle(request: HttpRequest, info: RequestInfo): Promise<HttpResponse<Body>>;
};

const INTERNAL_ERROR = 'Something went wrong on our side.';
const onlyCarelaneError = (cause: unknown) => (cause instanceof CarelaneError ? cause : null);

/**
 * Creates a handler with what all have in common: request id, rate limit of the address, method check, CORS, and errors
 * in the contract's format. A response without `cache-control` is not stored.
 */
export function createHandler<Body = string>(
  services: Services,
  options: HandlerOptions<Body>,
): Handler<HttpResponse<Body>> {
  const { name, methods, cors = false, forPeople = false, toCarelaneError = onlyCarelaneError } = options;

  async function handle(request: HttpRequest, info: RequestInfo): Promise<HttpResponse<Body>> {
    if (options.hasAddressLimit?.(request) ?? true) assertAddressLimit(services, request.ip);
    if (cors && request.method === 'OPTIONS') return preflight(services, request);
    if (methods) assertMethod(request.method, methods);
    return options.handle(request, info);
  }

  return async (request) => {
    const requestId = newId(services.clock.now());
    let tenantId: string | null = null;
    const onTenant = (id: string) => {
      tenantId = id;
    };
    const response = await handle(request, { requestId, onTenant }).catch((error: unknown) => {
      const cause = causeOf(error);
      const known = toCarelaneError(cause);
      if (!known) logUnexpectedError(services, { requestId, handler: name }, cause);
      const shown = known ?? apiError('internal_error', options.internalError ?? INTERNAL_ERROR);
      return respondError(shown, requestId, { forPeople });
    });
    const headers: HttpResponse['headers'] = {
      'cache-control': 'no-store',
      ...response.headers,
      'request-id': requestId,
    };
    if (cors && !('access-control-allow-origin' in headers))
      Object.assign(headers, await corsHeaders(services, request, tenantId));
    return { ...response, headers };
  };
}

/** @throws `method_not_allowed` */
export function assertMethod(method: string, allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  const allow = allowed.join(', ');
  throw new CarelaneError(
    { code: 'method_not_allowed', detail: `This address takes ${allow}.` },
    { headers: { allow } },
  );
}

/** Returns the exception that a procedure threw, without tRPC's wrapper. */
export const causeOf = (error: unknown): unknown => (error instanceof TRPCError ? (error.cause ?? error) : error);

export function logUnexpectedError(
  { log }: Services,
  /** `path` is a procedure's, never the request's, which may hold a token. */
  about: { requestId: string; handler: string; path?: string | undefined },
  error: unknown,
): void {
  log.error({ ...about, err: error instanceof Error ? error.stack : String(error) }, 'unexpected error');
}

const EXPOSED =
  'Request-Id, Link, Location, Total-Count, Total-Count-Capped, Total-Pages, Current-Page, Page-Items, Oldest-Sequence, Newest-Sequence, Read-Through-Sequence, RateLimit, RateLimit-Policy, Retry-After, Idempotent-Replayed, Age, Availability-Complete, Availability-Missing';

/**
 * Lets a page's scripts read a response if the response's tenant lists their website. With `tenantId` null, the
 * response holds no tenant's data (a preflight, an error before authentication): any tenant's listed website may read
 * it. A sandbox allows apps on the developer's own machine. No route here uses cookies, so credentials are never
 * allowed.
 */
async function corsHeaders(
  services: Services,
  request: HttpRequest,
  tenantId: string | null,
): Promise<Record<string, string>> {
  const origin = request.header('origin');
  // Also without an Origin: otherwise a cache could serve the response to a page with other rights.
  if (!origin || !(await mayRead(services, origin, tenantId))) return { vary: 'Origin' };
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' };
}

/**
 * Responds to a preflight. It carries no token (Fetch, "CORS-preflight fetch"), so any tenant's listed website passes.
 */
async function preflight(services: Services, request: HttpRequest): Promise<HttpResponse> {
  const headers = await corsHeaders(services, request, null);
  if (headers['access-control-allow-origin'])
    Object.assign(headers, {
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
      'access-control-max-age': '600',
    });
  return { status: 204, headers, body: null };
}

async function mayRead(services: Services, origin: string, tenantId: string | null): Promise<boolean> {
  if (services.config.environment === 'sandbox' && isLocalOrigin(origin)) return true;
  try {
    const tenants = await tenantsOfOrigin(services, origin);
    return tenantId === null ? tenants.length > 0 : tenants.includes(tenantId);
  } catch (error) {
    services.log.error({ err: (error as Error).message }, 'allowed origins could not be read');
    return false;
  }
}
