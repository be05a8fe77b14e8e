import type { ErrorBody } from '#contract/errors.ts';
import type { Services } from '#server/core/context.ts';
import { createAuthHandler } from '#server/http/auth-handler.ts';

type AuthResponse = {
  status: number;
  body: Record<string, unknown>;
  setCookie: string[];
  retryAfter: string | undefined;
};
type AuthRequest = {
  method: 'GET' | 'POST';
  path: string[];
  body?: Record<string, string>;
  cookie?: string;
  source?: string;
};

/** Sends one request to staff sign-in, as a browser does. */
export async function sendAuthRequest(
  services: Services,
  { method, path, body, cookie, source }: AuthRequest,
): Promise<AuthResponse> {
  const headers: Record<string, string | undefined> = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
  const {
    status,
    headers: responseHeaders,
    body: text,
  } = await createAuthHandler(services)({
    method,
    path: `/api/auth/${path.join('/')}`,
    query: new URLSearchParams(),
    header: (name) => headers[name] ?? null,
    body: async () => new TextEncoder().encode(new URLSearchParams(body).toString()),
    ip: source ?? '192.0.2.1',
  });
  return {
    status,
    body: text ? JSON.parse(text) : {},
    setCookie: [responseHeaders['set-cookie'] ?? []].flat(),
    retryAfter: responseHeaders['retry-after']?.toString(),
  };
}

const cookieOf = (setCookie: string[]) => setCookie.map((line) => line.split(';')[0]).join('; ');

/** Signs in as the sign-in page does. @returns the session's Cookie header, or the error that the page shows */
export async function signInToPortal(
  services: Services,
  credentials: { email: string; password: string; code?: string; source?: string; cookie?: string },
): Promise<{ cookie: string; setCookie: string[]; device: string } | { error: string | null }> {
  const { source = '192.0.2.1', cookie: knownCookies = '', ...fields } = credentials;
  const start = await sendAuthRequest(services, { method: 'GET', path: ['csrf'] });
  const response = await sendAuthRequest(services, {
    method: 'POST',
    path: ['callback', 'credentials'],
    body: { ...fields, csrfToken: String(start.body.csrfToken), json: 'true' },
    cookie: `${cookieOf(start.setCookie)}; ${knownCookies}`,
    source,
  });
  const session = response.setCookie.filter((line) => line.includes('session-token'));
  if (response.retryAfter) return { error: `${response.status} ${(response.body as ErrorBody).errors[0]!.code}` };
  if (response.status !== 200 || session.length === 0)
    return { error: new URL(String(response.body.url)).searchParams.get('error') };
  const device = response.setCookie.find((line) => line.includes('carelane-devices=')) ?? '';
  return { cookie: cookieOf(session), setCookie: session, device };
}

/** Signs out as the portal's menu does. */
export async function signOutOfPortal(services: Services, cookie: string): Promise<AuthResponse> {
  const start = await sendAuthRequest(services, { method: 'GET', path: ['csrf'] });
  return sendAuthRequest(services, {
    method: 'POST',
    path: ['signout'],
    body: { csrfToken: String(start.body.csrfToken), json: 'true' },
    cookie: `${cookieOf(start.setCookie)}; ${cookie}`,
  });
}
