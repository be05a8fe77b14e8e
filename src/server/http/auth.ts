import NextAuth from 'next-auth';
import { z } from 'zod';
import type { Services } from '../core/context.ts';
import { CarelaneError, refuse } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { refuseFlood } from './address-limit.ts';
import { defaultOf } from './default-of.ts';
import { mediaTypeOf, parseBody, readText, SMALL_BODY_BYTES } from './read-json.ts';
import { respondError } from './respond.ts';
import { openStaffDevice } from './staff-device.ts';
import { staffSessionOptions } from './staff-session.ts';
import type { Door, DoorRequest, DoorResponse } from './wire.ts';

const PREFIX = '/api/auth/';
/** What the portal asks of next-auth. What else that offers, its log above all, is open to nobody. */
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
/** With a value; what removes a cookie gives it none. */
const SESSION_GIVEN = /next-auth\.session-token(?:\.\d+)?=[^;]/;
const CALLBACK_COOKIE = /next-auth\.callback-url$/;
const MOST_ADDRESS_LENGTH = 2000;
/** Texts that its page sends; nothing else is handed on. */
const Body = z.record(z.string().max(100), z.string().max(MOST_ADDRESS_LENGTH));

/** The plain interface of next-auth, which it has for hosts other than Next. */
type Asked = {
  method: string;
  query: Record<string, unknown>;
  body: Record<string, string>;
  cookies: Record<string, string>;
  headers: Record<string, string | undefined>;
};
type Run = (request: Asked, response: unknown, options: ReturnType<typeof staffSessionOptions>) => Promise<void>;

/**
 * Staff's sign-in, sign-out, its CSRF token and the session as the browser sees it: next-auth, behind a narrow door. A
 * sign-in also makes the browser known, by a cookie beside the session's.
 */
export function createAuthDoor(services: Services): Door {
  const run = defaultOf(NextAuth) as unknown as Run;
  async function answer(request: DoorRequest): Promise<DoorResponse> {
    refuseFlood(services, request.ip);
    const name = request.path.slice(PREFIX.length);
    const allow = Object.hasOwn(AUTH_ROUTES, name) ? AUTH_ROUTES[name] : undefined;
    if (!allow) throw refuse('route_not_found', 'There is nothing at this address.');
    if ((request.method === 'HEAD' ? 'GET' : request.method) !== allow)
      throw new CarelaneError(
        { code: 'method_not_allowed', detail: `This address takes ${allow}.` },
        { headers: { allow } },
      );
    const asked = {
      method: allow,
      query: { nextauth: name.split('/'), ...readQuery(request, services) },
      body: allow === 'POST' ? await readBody(request, services) : {},
      cookies: readCookies(request, services),
      headers: { 'x-forwarded-for': request.ip, 'user-agent': request.header('user-agent') ?? undefined },
    };
    const { response, given } = collect();
    // It knows its own address from this variable only.
    process.env.NEXTAUTH_URL = services.config.publicUrl;
    const device = openStaffDevice(services.config, request.header('cookie'));
    let heldBack: CarelaneError | null = null;
    const options = staffSessionOptions(services, device, (refusal) => {
      heldBack = refusal;
    });
    await run(asked, response, options);
    // Looking at a session is nobody's act. next-auth prolongs it all the same; what removes a cookie goes through.
    if (name === 'session') given.headers['set-cookie'] = cookiesOf(given).filter((line) => !SESSION_GIVEN.test(line));
    // next-auth answers whatever goes wrong with 401, and no word of when to come again.
    if (heldBack) throw heldBack;
    if (device.setCookie) given.headers['set-cookie'] = [...cookiesOf(given), device.setCookie];
    return given;
  }

  return async (request) => {
    const requestId = newId(services.clock.now());
    let response: DoorResponse;
    try {
      response = await answer(request);
    } catch (error) {
      const known = error instanceof CarelaneError ? error : null;
      if (!known) services.log.error({ requestId, err: (error as Error).stack }, 'unexpected error');
      response = respondError(known ?? refuse('internal_error', 'Something went wrong on our side.'), requestId);
    }
    response.headers = { ...response.headers, 'request-id': requestId, 'cache-control': 'no-store' };
    return response;
  };
}

const cookiesOf = ({ headers }: DoorResponse): string[] => [headers['set-cookie'] ?? []].flat();

/** What next-auth answers, as it answers a server of Node's kind. */
function collect() {
  const given: DoorResponse = { status: 200, headers: {}, body: null };
  const json = (value: unknown) => {
    given.headers['content-type'] = 'application/json; charset=utf-8';
    given.body = JSON.stringify(value);
  };
  const response = {
    status(code: number) {
      given.status = code;
      return response;
    },
    getHeader: (name: string) => given.headers[name.toLowerCase()],
    setHeader(name: string, value: string | string[]) {
      given.headers[name.toLowerCase()] = value;
      return response;
    },
    json,
    send: (value: unknown) => {
      if (typeof value !== 'string') json(value);
      else given.body = value;
    },
    end: () => {},
  };
  return { response, given };
}

/** An address that next-auth can make something of. It answers any other by saying that it is misconfigured. */
function isAddress(given: string, { config }: Services): boolean {
  if (given.length > MOST_ADDRESS_LENGTH || !URL.canParse(given, given.startsWith('/') ? config.publicUrl : undefined))
    return false;
  return /^https?:$/.test(new URL(given, config.publicUrl).protocol);
}

function readQuery({ query }: DoorRequest, services: Services): { callbackUrl?: string; error: string } {
  const callbackUrl = query.get('callbackUrl');
  // It writes this into an address as it is.
  const error = /^\w{1,60}$/.exec(query.get('error') ?? '')?.[0] ?? 'Default';
  return { ...(callbackUrl && isAddress(callbackUrl, services) && { callbackUrl }), error };
}

async function readBody(request: DoorRequest, services: Services): Promise<Record<string, string>> {
  const type = mediaTypeOf(request);
  const text = await readText(request, SMALL_BODY_BYTES);
  const given = type === FORM ? Object.fromEntries(new URLSearchParams(text)) : parseBody(text, request);
  const { data } = Body.safeParse(given);
  if (!data) throw refuse('malformed_request', 'Every value must be a text of ordinary length.');
  const { callbackUrl, ...rest } = data;
  return { ...rest, ...(callbackUrl && isAddress(callbackUrl, services) && { callbackUrl }) };
}

function readCookies(request: DoorRequest, services: Services): Record<string, string> {
  const cookies: Record<string, string> = {};
  for (const pair of (request.header('cookie') ?? '').split(/; */)) {
    const [, name, written = ''] = COOKIE.exec(pair) ?? [];
    if (!name) continue;
    const value = decode(written);
    if (value !== null && (!CALLBACK_COOKIE.test(name) || isAddress(value, services))) cookies[name] = value;
  }
  return cookies;
}

function decode(written: string): string | null {
  try {
    return decodeURIComponent(written);
  } catch {
    return null;
  }
}
