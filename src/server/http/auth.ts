import type { NextRequest } from 'next/server';
import NextAuth from 'next-auth';
import { services } from './services.ts';
import { openStaffDevice } from './staff-device.ts';
import { staffSessionOptions } from './staff-session.ts';

type RouteContext = { params: Promise<{ nextauth: string[] }> };

/**
 * next-auth's own routes: sign-in, sign-out, its CSRF token and the session as the browser sees it. A sign-in also makes the
 * browser known, by a cookie beside the session's.
 */
export async function answerAuth(request: NextRequest, context: RouteContext): Promise<Response> {
  const { config } = services();
  // It knows its own address from this variable only.
  process.env.NEXTAUTH_URL = config.publicUrl;
  const device = openStaffDevice(config, request.headers.get('cookie'));
  const response: Response = await NextAuth(request, context, staffSessionOptions(services(), device));
  if (device.setCookie) response.headers.append('set-cookie', device.setCookie);
  return response;
}
