import type { NextRequest } from 'next/server';
import NextAuth from 'next-auth';
import { services } from './services.ts';
import { staffSessionOptions } from './staff-session.ts';

type RouteContext = { params: Promise<{ nextauth: string[] }> };

/** next-auth's own routes: sign-in, sign-out, its CSRF token and the session as the browser sees it. */
export async function answerAuth(request: NextRequest, context: RouteContext): Promise<Response> {
  const { config } = services();
  // It knows its own address from this variable only.
  process.env.NEXTAUTH_URL = config.publicUrl;
  return NextAuth(request, context, staffSessionOptions(services()));
}
