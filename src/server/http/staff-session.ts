import type { NextAuthOptions } from 'next-auth';
import { decode, encode, type JWT } from 'next-auth/jwt';
import CredentialsProvider from 'next-auth/providers/credentials';
import { z } from 'zod';
import { type StaffSessionRef, signInStaff, signOutStaff, staffActor } from '#server/identity/index.ts';
import { HOUR, MINUTE, SECOND } from '../core/clock.ts';
import type { Config } from '../core/config.ts';
import type { Services } from '../core/context.ts';
import { CarelaneError } from '../core/errors.ts';
import { openStaffDevice, type StaffDevice } from './staff-device.ts';

/** The idle timeout. Automatic refetches by a page do not count as activity. */
const IDLE = 30 * MINUTE;
/** The maximum age of a session. */
const MAX_AGE = 12 * HOUR;
/** A younger cookie is not renewed, so that a busy page does not set one with each response. */
const RENEW_AFTER = 1 * MINUTE;

/**
 * The content of the encrypted session cookie. Each request reads from the database whether the session is still valid,
 * and the role.
 */
const Session = z.object({
  user_id: z.string(),
  tenant_id: z.string(),
  session_id: z.string(),
  /** Unix seconds. */
  signed_in_at: z.number(),
  iat: z.number(),
});
export type StaffSession = StaffSessionRef & {
  /** The remaining whole seconds, after the renewal if there is one. */
  endsInS: number;
  renewed: string | null;
};
/** Sent by the portal's pages after user activity. Another site cannot make a browser send it. */
export const ACTIVITY_HEADER = 'x-carelane-act';

const Credentials = z.object({
  email: z.string().max(254),
  password: z.string().max(1024),
  code: z.string().max(100).optional(),
});
type Credentials = z.infer<typeof Credentials>;
/** Passed from `authorize` to the `jwt` callback. */
type StartedSession = { tenantId: string; sessionId: string };

/** Returns the default export of a CommonJS package: Node imports the whole module, a bundler only its default. */
export const defaultOf = <Export>(imported: Export): Export => (imported as { default?: Export }).default ?? imported;

const isSecure = (config: Config) => config.publicUrl.startsWith('https://');
/** No other host, such as another subdomain of the clinic, can set a session in this cookie (RFC 6265bis §4.1.3.2). */
const cookieName = (config: Config) => `${isSecure(config) ? '__Host-' : ''}next-auth.session-token`;

/**
 * Returns the next-auth options for staff: email and password, a session in an encrypted cookie, a custom sign-in page.
 * @param device of the requesting browser
 * @param onRetryError called with an error that has a `Retry-After`, which next-auth cannot send
 */
export function staffSessionOptions(
  services: Services,
  device: StaffDevice = openStaffDevice(services.config, null),
  onRetryError: (error: CarelaneError) => void = () => {},
): NextAuthOptions {
  const { config, clock, log } = services;
  return {
    logger: { error: (code) => log.warn({ code }, 'next-auth'), warn: () => {}, debug: () => {} },
    secret: config.sessionSecret,
    session: { strategy: 'jwt', maxAge: IDLE / SECOND },
    // The token's own lifetime; next-auth would otherwise set 30 days at sign-in.
    jwt: { maxAge: IDLE / SECOND },
    useSecureCookies: isSecure(config),
    cookies: {
      sessionToken: {
        name: cookieName(config),
        options: { httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure(config) },
      },
    },
    pages: { signIn: '/sign-in', error: '/sign-in' },
    providers: [
      defaultOf(CredentialsProvider)({
        credentials: { email: { type: 'email' }, password: { type: 'password' }, code: {} },
        async authorize(input, request) {
          const parsed = Credentials.safeParse(input);
          if (!parsed.success) return null;
          const userAgent = (request.headers?.['user-agent'] as string | undefined) ?? null;
          const from = { source: sourceOf(request.headers), userAgent, devices: device.secrets };
          const signedIn = await signIn(services, { ...parsed.data, ...from }, onRetryError);
          if (!signedIn) return null;
          const { userId, name, email, device: secret, ...session } = signedIn;
          device.addSecret(secret);
          return { id: userId, name, email, ...session };
        },
      }),
    ],
    callbacks: {
      async jwt({ token, user }) {
        if (user) {
          const { tenantId, sessionId } = user as unknown as StartedSession;
          return {
            name: user.name,
            email: user.email,
            user_id: user.id,
            tenant_id: tenantId,
            session_id: sessionId,
            signed_in_at: Math.floor(clock.now().getTime() / SECOND),
          };
        }
        const session = sessionOf(token, clock.now());
        // next-auth treats an exception here as an unreadable cookie and clears it.
        if (!session || !(await staffActor(services, session))) throw new Error('the session is over');
        return token;
      },
      session: ({ session }) => session,
      redirect: ({ url, baseUrl }) => baseUrl + ownPath(url, baseUrl),
    },
    events: {
      // Clearing the cookie alone would leave every copy of it valid.
      async signOut({ token }) {
        const session = sessionOf(token, clock.now());
        if (session) await signOutStaff(services, session);
      },
    },
  };
}

type CurrentSession = StaffSessionRef & { iat: number; signedInAt: number };

function sessionOf(token: JWT | null, now: Date): CurrentSession | null {
  const { data } = Session.safeParse(token);
  if (!data || endOf(data) <= now.getTime()) return null;
  const { user_id, tenant_id, session_id, iat, signed_in_at } = data;
  return { userId: user_id, tenantId: tenant_id, sessionId: session_id, iat, signedInAt: signed_in_at };
}

/** In milliseconds: the end of the idle time or of the maximum age, whichever is first. */
const endOf = ({ iat, signed_in_at }: { iat: number; signed_in_at: number }): number =>
  Math.min(iat * SECOND + IDLE, signed_in_at * SECOND + MAX_AGE);

/** Reads the session cookie; `renewed` is the Set-Cookie header that extends the session of an active user. */
export async function readStaffSession(services: Services, request: Request): Promise<StaffSession | null> {
  const { config, clock } = services;
  const token = await decode({ token: readCookie(request, cookieName(config)), secret: config.sessionSecret }).catch(
    () => null,
  );
  const readAt = clock.now();
  const current = sessionOf(token, readAt);
  if (!token || !current) return null;
  const { iat, signedInAt, ...session } = current;
  const now = readAt.getTime();
  const isActive = request.headers.get(ACTIVITY_HEADER) === '1';
  const renewed = isActive && now - iat * SECOND > RENEW_AFTER ? await renew(config, token) : null;
  const end = endOf({ iat: renewed ? now / SECOND : iat, signed_in_at: signedInAt });
  return { ...session, endsInS: Math.ceil((end - now) / SECOND), renewed };
}

/** Returns the session that the cookie names and its staff user; null without one. */
export async function findStaff(services: Services, request: Request) {
  const session = await readStaffSession(services, request);
  const actor = session && (await staffActor(services, session));
  return session && actor && { session, actor };
}

/** Whether a page was made for the user of the session; `owner` is the tenant and the user, null if it does not say. */
export const isOwner = ({ tenantId, userId }: StaffSessionRef, owner: string | null): boolean =>
  owner === null || owner === `${tenantId}/${userId}`;

async function renew(config: Config, token: JWT): Promise<string> {
  const value = await encode({ token, secret: config.sessionSecret, maxAge: IDLE / SECOND });
  const secure = isSecure(config) ? '; Secure' : '';
  return `${cookieName(config)}=${value}; Path=/; Max-Age=${IDLE / SECOND}; HttpOnly; SameSite=Lax${secure}`;
}

/** Returns the redirect target as a path of this origin, for any address. */
function ownPath(address: string, baseUrl: string): string {
  if (!URL.canParse(address, baseUrl)) return '/';
  const { origin, pathname, search } = new URL(address, baseUrl);
  return origin === new URL(baseUrl).origin && !pathname.startsWith('//') ? pathname + search : '/';
}

function readCookie(request: Request, name: string): string | undefined {
  const pairs = (request.headers.get('cookie') ?? '').split(/; */);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/**
 * Passes the error code to the page: next-auth shows the thrown message as `error`, which separates further steps from
 * a wrong password.
 */
async function signIn(
  services: Services,
  credentials: Credentials & { source: string; userAgent: string | null; devices: string[] },
  onRetryError: (error: CarelaneError) => void,
) {
  let result: Awaited<ReturnType<typeof signInStaff>>;
  try {
    result = await signInStaff(services, credentials);
  } catch (error) {
    if (error instanceof CarelaneError) {
      if (error.headers['retry-after']) onRetryError(error);
      throw new Error(error.code);
    }
    services.log.error({ err: (error as Error).message }, 'sign-in failed');
    throw new Error('internal_error');
  }
  if (result === 'code_required') throw new Error(result);
  return result;
}

/** The last address comes from the last hop: the trusted proxy, or the server that accepted the connection. */
const sourceOf = (headers: Record<string, unknown> | undefined): string =>
  String(headers?.['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)
    ?.trim() || 'unknown';
