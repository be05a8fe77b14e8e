import type { NextAuthOptions } from 'next-auth';
import { decode, encode, type JWT } from 'next-auth/jwt';
import CredentialsProvider from 'next-auth/providers/credentials';
import { z } from 'zod';
import { HOUR, MINUTE, SECOND } from '../core/clock.ts';
import type { Config } from '../core/config.ts';
import type { Services } from '../core/context.ts';
import { CarelaneError } from '../core/errors.ts';
import { signInStaff } from '../identity/sign-in-staff.ts';

/** Since the last call (auth.md §7). */
const IDLE = 30 * MINUTE;
/** Since the sign-in, whatever happens in between. */
const LONGEST = 12 * HOUR;
/** A cookie younger than this is not renewed, so that a busy page does not set one with each answer. */
const RENEW_AFTER = 1 * MINUTE;

/** What the encrypted session cookie holds. The role is not among it: it is read anew at every request. */
const Session = z.object({
  user_id: z.string(),
  tenant_id: z.string(),
  /** Unix seconds. */
  signed_in_at: z.number(),
  iat: z.number(),
});
export type StaffSession = { userId: string; tenantId: string; renewed: string | null };

const Given = z.object({ email: z.string().max(254), password: z.string().max(1024) });

const isSecure = (config: Config) => config.publicUrl.startsWith('https://');
const cookieName = (config: Config) => `${isSecure(config) ? '__Secure-' : ''}next-auth.session-token`;

/** next-auth for staff only: e-mail and password, a session in an encrypted cookie, our own sign-in page. */
export function staffSessionOptions(services: Services): NextAuthOptions {
  const { config, clock, log } = services;
  return {
    logger: { error: (code) => log.warn({ code }, 'next-auth'), warn: () => {}, debug: () => {} },
    secret: config.sessionSecret,
    session: { strategy: 'jwt', maxAge: IDLE / SECOND },
    // The token's own life, which next-auth leaves at 30 days at sign-in otherwise.
    jwt: { maxAge: IDLE / SECOND },
    useSecureCookies: isSecure(config),
    pages: { signIn: '/sign-in', error: '/sign-in' },
    providers: [
      CredentialsProvider({
        credentials: { email: { type: 'email' }, password: { type: 'password' } },
        async authorize(given, request) {
          const parsed = Given.safeParse(given);
          if (!parsed.success) return null;
          const found = await signIn(services, { ...parsed.data, source: sourceOf(request.headers) });
          return found && { id: found.userId, name: found.name, email: found.email, tenantId: found.tenantId };
        },
      }),
    ],
    callbacks: {
      jwt({ token, user }) {
        if (user)
          return {
            name: user.name,
            email: user.email,
            user_id: user.id,
            tenant_id: (user as unknown as { tenantId: string }).tenantId,
            signed_in_at: Math.floor(clock.now().getTime() / SECOND),
          };
        // next-auth takes what is thrown here for an unreadable cookie, and removes it.
        if (!isYoung(token, services)) throw new Error('the session is over');
        return token;
      },
      session: ({ session }) => session,
      redirect: ({ url, baseUrl }) => baseUrl + ownPath(url, baseUrl),
    },
  };
}

/** Reads the session cookie; `renewed` is the Set-Cookie that keeps an active session alive. */
export async function readStaffSession(services: Services, request: Request): Promise<StaffSession | null> {
  const { config, clock } = services;
  const token = await decode({ token: readCookie(request, cookieName(config)), secret: config.sessionSecret }).catch(
    () => null,
  );
  const { data: session } = Session.safeParse(token);
  if (!token || !session || !isYoung(token, services)) return null;
  const age = clock.now().getTime() - session.iat * SECOND;
  return {
    userId: session.user_id,
    tenantId: session.tenant_id,
    renewed: age > RENEW_AFTER ? await renew(config, token) : null,
  };
}

async function renew(config: Config, token: JWT): Promise<string> {
  const value = await encode({ token, secret: config.sessionSecret, maxAge: IDLE / SECOND });
  const secure = isSecure(config) ? '; Secure' : '';
  return `${cookieName(config)}=${value}; Path=/; Max-Age=${IDLE / SECOND}; HttpOnly; SameSite=Lax${secure}`;
}

/** Where next-auth goes back to: a path of ours, whatever address it was given. */
function ownPath(address: string, baseUrl: string): string {
  if (!URL.canParse(address, baseUrl)) return '/';
  const { origin, pathname, search } = new URL(address, baseUrl);
  return origin === new URL(baseUrl).origin && !pathname.startsWith('//') ? pathname + search : '/';
}

const isYoung = (token: JWT, { clock }: Services): boolean =>
  clock.now().getTime() - Number(token.signed_in_at) * SECOND < LONGEST;

function readCookie(request: Request, name: string): string | undefined {
  const pairs = (request.headers.get('cookie') ?? '').split(/; */);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** next-auth shows the thrown message to the page as `error`: too many tries are told apart from a wrong password. */
async function signIn(services: Services, given: { email: string; password: string; source: string }) {
  try {
    return await signInStaff(services, given);
  } catch (error) {
    if (error instanceof CarelaneError) throw new Error(error.code);
    services.log.error({ err: (error as Error).message }, 'sign-in failed');
    throw new Error('internal_error');
  }
}

/** The last address was written by the hop before us: the trusted proxy, or the server that took the connection. */
const sourceOf = (headers: Record<string, unknown> | undefined): string =>
  String(headers?.['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)!
    .trim() || 'unknown';
