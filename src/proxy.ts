import { type NextRequest, NextResponse } from 'next/server';
import { readConfig } from '#server/core/config.ts';
import { contentSecurityPolicy, isPayingPage, type PaymentOrigins, paymentOrigins } from '#server/http/page-policy.ts';

let known: PaymentOrigins | null = null;
/** The settings are read at the first need and do not change while the process runs. */
function paymentPlaces(): PaymentOrigins {
  known ??= paymentOrigins(readConfig(process.env).stripe);
  return known;
}

/** Gives each page its content security policy, and tells the page its own path (for coming back after signing in). */
export default function proxy(request: NextRequest): NextResponse {
  const { pathname, search } = request.nextUrl;
  const nonce = btoa(crypto.randomUUID());
  const policy = contentSecurityPolicy({
    nonce,
    payment: isPayingPage(pathname) ? paymentPlaces() : null,
    development: process.env.NODE_ENV === 'development',
  });
  const headers = new Headers(request.headers);
  headers.set('x-nonce', nonce);
  headers.set('x-path', pathname + search);
  // Next reads the nonce for its own scripts from the request's policy.
  headers.set('content-security-policy', policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('content-security-policy', policy);
  return response;
}

/** Pages only: doors and files carry no scripts. A dot alone makes no file: what stands in a path is the visitor's choice. */
export const config = { matcher: ['/((?!api/|identity/|_next/|icon\\.svg$).*)'] };
