import NextAuth from 'next-auth';
import { z } from 'zod';
import type { Services } from '../core/context.ts';
import { apiError, type CarelaneError } from '../core/errors.ts';
import { assertMethod, createHandler } from './create-handler.ts';
import type { Handler, HttpRequest, HttpResponse } from './handler.ts';
import { mediaTypeOf, parseBody, readText, SMALL_BODY_BYTES } from './read-json.ts';
import { openStaffDevice } from './staff-device.ts';
import { defaultOf, staffSessionOptions } from './staff-session.ts';

const PREFIX = '/api/auth/';
/** The next-auth routes that the portal uses. All others return 404, in particular its log route. */
export const AUTH_ROUTES: Record<string, 'GET' | 'POST'> = {
  csrf: 'GET',
  providers: 'GET',
  session: 'GET',
  signin: 'GET',
  error: 'GET',
  'callback/credentials': 'POST',
  signout: 'POST',
};
const FORM = 'application/x-www-form-urlencoded';
const COOKIE = /^((?:__(?:Secure|Host)-)?next-auth\.[\w.-]+)=(.*)$/;
/** A cookie with a value; a cleared cookie has none. */
const SESSION_SET = /next-auth\.session-token(?:\.\d+)?=[^;]/;
const CALLBACK_COOKIE = /next-auth\.callback-url$/;
const MAX_ADDRESS_LENGTH = 2000;
/** Only texts, as the portal's page sends them; next-auth gets nothing else. */
const Body = z.record(z.string().max(100), z.string().max(MAX_ADDRESS_LENGTH));

/** next-auth's interface for hosts other than Next. */
type NextAuthRequest = {
  method: string;
  query: Record<string, unknown>;
  body: Record<string, string>;
  cookies: Record<string, string>;
  headers: Record<string, string | undefined>;
};
type Run = (
  request: NextAuthRequest,
  response: unknown,
  options: ReturnType<typeof staffSessionOptions>,
) => Promise<void>;

/**
 * Handles the staff's sign-in and sign-out, the CSRF token and the browser's view of the session: a narrow wrapper
 * around next-auth. A sign-in also registers the browser as a known device, by a second cookie.
 */
export function createAuthHandler(services: Services): Handler {
  const run = defaultOf(NextAuth) as unknown as Run;
  async function handle(request: HttpRequest): Promise<HttpResponse> {
    const name = request.path.slice(PREFIX.length);
    const allow = Object.hasOwn(AUTH_ROUTES, name) ? AUTH_ROUTES[name] : undefined;
    if (!allow) throw apiError('route_not_found', 'There is nothing at this address.');
    assertMethod(request.method === 'HEAD' ? 'GET' : request.method, [allow]);
    const authRequest = {
      method: allow,
      query: { nextauth: name.split('/'), ...readQuery(request, services) },
      body: allow === 'POST' ? await readBody(request, services) : {},
      cookies: readCookies(request, services),
      headers: { 'x-forwarded-for': request.ip, 'user-agent': request.header('user-agent') ?? undefined },
    };
    const { nodeResponse, collected } = collectResponse();
    // next-auth reads its own address only from this variable.
    process.env.NEXTAUTH_URL = services.config.publicUrl;
    const device = openStaffDevice(services.config, request.header('cookie'));
    let retryError: CarelaneError | null = null;
    const options = staffSessionOptions(services, device, (error) => {
      retryError = error;
    });
    await run(authRequest, nodeResponse, options);
    // Reading a session must not extend it, but next-auth sends a new cookie; a cleared cookie passes.
    if (name === 'session')
      collected.headers['set-cookie'] = cookiesOf(collected).filter((line) => !SESSION_SET.test(line));
    // next-auth responds to every failure with 401 and without `Retry-After`.
    if (retryError) throw retryError;
    collected.headers['cache-control'] = 'no-store';
    if (device.setCookie) collected.headers['set-cookie'] = [...cookiesOf(collected), device.setCookie];
    return collected;
  }

  return createHandler(services, { name: 'staff sign-in', handle });
}

const cookiesOf = ({ headers }: HttpResponse): string[] => [headers['set-cookie'] ?? []].flat();

/** Collects next-auth's response through the interface of a Node server response. */
function collectResponse() {
  const collected: HttpResponse = { status: 200, headers: {}, body: null };
  const json = (value: unknown) => {
    collected.headers['content-type'] = 'application/json; charset=utf-8';
    collected.body = JSON.stringify(value);
  };
  const nodeResponse = {
    status(code: number) {
      collected.status = code;
      return nodeResponse;
    },
    getHeader: (name: string) => collected.headers[name.toLowerCase()],
    setHeader(name: string, value: string | string[]) {
      collected.headers[name.toLowerCase()] = value;
      return nodeResponse;
    },
    json,
    send: (value: unknown) => {
      if (typeof value !== 'string') json(value);
      else collected.body = value;
    },
    end: () => {},
  };
  return { nodeResponse, collected };
}

/** Returns whether next-auth can parse the address. For any other it reports a configuration error. */
function isAddress(address: string, { config }: Services): boolean {
  if (
    address.length > MAX_ADDRESS_LENGTH ||
    !URL.canParse(address, address.startsWith('/') ? config.publicUrl : undefined)
  )
    return false;
  return /^https?:$/.test(new URL(address, config.publicUrl).protocol);
}

function readQuery({ query }: HttpRequest, services: Services): { callbackUrl?: string; error: string } {
  const callbackUrl = query.get('callbackUrl');
  // next-auth puts this into a URL without encoding it.
  const error = /^\w{1,60}$/.exec(query.get('error') ?? '')?.[0] ?? 'Default';
  return { ...(callbackUrl && isAddress(callbackUrl, services) && { callbackUrl }), error };
}

async function readBody(request: HttpRequest, services: Services): Promise<Record<string, string>> {
  const type = mediaTypeOf(request);
  const text = await readText(request, SMALL_BODY_BYTES);
  const fields = type === FORM ? Object.fromEntries(new URLSearchParams(text)) : parseBody(text, request);
  const { data } = Body.safeParse(fields);
  if (!data) throw apiError('malformed_request', 'Every value must be a text of ordinary length.');
  const { callbackUrl, ...rest } = data;
  return { ...rest, ...(callbackUrl && isAddress(callbackUrl, services) && { callbackUrl }) };
}

function readCookies(request: HttpRequest, services: Services): Record<string, string> {
  const cookies: Record<string, string> = {};
  for (const pair of (request.header('cookie') ?? '').split(/; */)) {
    const [, name, encoded = ''] = COOKIE.exec(pair) ?? [];
    if (!name) continue;
    const value = decode(encoded);
    if (value !== null && (!CALLBACK_COOKIE.test(name) || isAddress(value, services))) cookies[name] = value;
  }
  return cookies;
}

function decode(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}
