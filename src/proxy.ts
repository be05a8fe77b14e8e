import { type NextRequest, NextResponse } from 'next/server';
import { type Config, readConfig } from '#server/core/config.ts';
import { answerHeaders } from '#server/http/answer-headers.ts';
import { providedServices } from '#server/http/holder.ts';
import { contentSecurityPolicy, isPayingPage, pageHeaders, paymentOrigins } from '#server/http/page-policy.ts';

/** Those of the process's services; where it has none, for a page was asked of Next alone, those of the environment. */
const settings = (): Config => providedServices()?.config ?? readConfig(process.env);

/** Gives each page its content security policy, and tells the page its own path (for coming back after signing in). */
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
  // Where Next has no server of ours in front of it, nobody else says the rest.
  const said = { ...answerHeaders(settings()), ...pageHeaders(pathname), 'content-security-policy': policy };
  return NextResponse.next({ request: { headers }, headers: said });
}

/** Pages only: doors and files carry no scripts. A dot alone makes no file: what stands in a path is the visitor's choice. */
export const config = { matcher: ['/((?!api/|identity/|_next/|icon\\.svg$).*)'] };
