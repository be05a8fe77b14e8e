import type { Config } from '../core/config.ts';
import type { DoorRequest, DoorResponse } from './wire.ts';

const LOCAL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
const EXPOSED =
  'Request-Id, Link, Location, Total-Count, Total-Pages, Current-Page, Page-Items, RateLimit, RateLimit-Policy, Retry-After, Idempotent-Replayed';

/** A sandbox lets apps on the developer's own machine in; production lets no foreign origin in until one is listed. */
const allowed = (origin: string, config: Config): boolean => config.environment === 'sandbox' && LOCAL.test(origin);

export function corsHeaders(request: DoorRequest, config: Config): Record<string, string> {
  const origin = request.header('origin');
  if (!origin) return {};
  if (!allowed(origin, config)) return { vary: 'Origin' };
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' };
}

export function preflight(request: DoorRequest, config: Config): DoorResponse {
  const origin = request.header('origin');
  const headers: Record<string, string> =
    origin && allowed(origin, config)
      ? {
          'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
          'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
          'access-control-max-age': '600',
        }
      : {};
  return { status: 204, headers, body: null };
}
