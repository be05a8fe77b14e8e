import { type NextRequest, NextResponse } from 'next/server';
import { type Config, readConfig } from '#server/core/config.ts';
import { defaultHeaders } from '#server/http/default-headers.ts';
import { providedServices } from '#server/http/holder.ts';
import { contentSecurityPolicy, isPayingPage, pageHeaders, paymentOrigins } from '#server/http/page-policy.ts';

/** The settings of the process's services; without services, when Next runs alone, those of the environment. */
const settings = (): Config => providedServices()?.config ?? readConfig(process.env);

/** Sets each page's content security policy and passes the page its own path (for the return after sign-in). */
export default function proxy(request: NextRequest): NextResponse {
  const { pathname, search } = request.nextUrl;
  const nonce = btoa(crypto.randomUUID());
  const policy = contentSecurityPolicy({
    nonce,
    payment: isPayingPage(pathname) ? paymentOrigins(settings().stripe) : null,
    development: process.env.NODE_ENV === 'development',
  });
  const headers = new Headers(request.headers);
  headers.set('x-nonce', nonce);
  headers.set('x-path', pathname + search);
  // Next reads the nonce for its own scripts from the request's policy.
  headers.set('content-security-policy', policy);
  // Without the process's own server in front of Next, no other code sets the default headers.
  const responseHeaders = {
    ...defaultHeaders(settings()),
    ...pageHeaders(pathname),
    'content-security-policy': policy,
  };
  return NextResponse.next({ request: { headers }, headers: responseHeaders });
}

/**
 * Pages only: API routes and files contain no scripts. A dot in the path does not mean a file: the client chooses the
 * path.
 */
export const config = { matcher: ['/((?!api/|identity/|_next/|icon\\.svg$).*)'] };
