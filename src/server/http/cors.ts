import { isLocalOrigin } from '#contract/websites.ts';
import type { Services } from '../core/context.ts';
import { tenantsOfOrigin } from '../identity/applications/origins/allowed-origins.ts';
import type { HttpRequest, HttpResponse } from './handler.ts';

const EXPOSED =
  'Request-Id, Link, Location, Total-Count, Total-Count-Capped, Total-Pages, Current-Page, Page-Items, Oldest-Sequence, Newest-Sequence, Read-Through-Sequence, RateLimit, RateLimit-Policy, Retry-After, Idempotent-Replayed, Age, Availability-Complete, Availability-Missing';

/**
 * Lets a page's scripts read a response if the response's tenant lists their website. With `tenantId` null, the
 * response holds no tenant's data (a preflight, an error before authentication): any tenant's listed website may read
 * it. A sandbox allows apps on the developer's own machine. No route here uses cookies, so credentials are never
 * allowed.
 */
export async function corsHeaders(
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
export async function preflight(services: Services, request: HttpRequest): Promise<HttpResponse> {
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
