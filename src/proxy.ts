import { type NextRequest, NextResponse } from 'next/server';
import { defaultHeaders } from '#server/http/default-headers.ts';
import { contentSecurityPolicy, isPayingPage, pageHeaders, paymentOrigins } from '#server/http/page-policy.ts';
import { services } from '#server/http/services.ts';

/** Sets each page's content security policy and passes the page its own path (for the return after sign-in). */
export default function proxy(request: NextRequest): NextResponse {
  const { pathname, search } = request.nextUrl;
  const { config } = services();
  const nonce = btoa(crypto.randomUUID());
  const policy = contentSecurityPolicy({
    nonce,
    payment: isPayingPage(pathname) ? paymentOrigins(config.stripe) : null,
    development: process.env.NODE_ENV === 'development',
  });
  const headers = new Headers(request.headers);
  headers.set('x-nonce', nonce);
  headers.set('x-path', pathname + search);
  // Next reads the nonce for its own scripts from the request's policy.
  headers.set('content-security-policy', policy);
  // The server adds these to each response, but only headers set here replace Next's own, such as `cache-control`.
  const responseHeaders = {
    ...defaultHeaders(config),
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
