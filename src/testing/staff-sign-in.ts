import NextAuth from 'next-auth';
import type { Services } from '#server/core/context.ts';
import { openStaffDevice } from '#server/http/staff-device.ts';
import { staffSessionOptions } from '#server/http/staff-session.ts';

type Answer = { status: number; body: Record<string, unknown>; setCookie: string[] };
type Given = {
  method: 'GET' | 'POST';
  path: string[];
  body?: Record<string, string>;
  cookie?: string;
  source?: string;
};

/** One request to next-auth's routes by its plain Node interface, which is the same core as Next's. */
export async function askNextAuth(services: Services, { method, path, body, cookie, source }: Given): Promise<Answer> {
  process.env.NEXTAUTH_URL = services.config.publicUrl;
  const answer: Answer = { status: 200, body: {}, setCookie: [] };
  const response = {
    status(code: number) {
      answer.status = code;
      return response;
    },
    getHeader: (name: string) => (name === 'Set-Cookie' ? answer.setCookie : undefined),
    setHeader(name: string, value: string[]) {
      if (name === 'Set-Cookie') answer.setCookie = value;
      return response;
    },
    json: (sent: Record<string, unknown>) => Object.assign(answer.body, sent),
    send: (sent: Record<string, unknown>) => Object.assign(answer.body, sent),
    end: () => {},
  };
  const cookies = Object.fromEntries(
    (cookie ?? '').split('; ').map((pair) => [pair.split('=')[0], decodeURIComponent(pair.split('=')[1] ?? '')]),
  );
  const request = {
    method,
    body: body ?? {},
    query: { nextauth: path },
    cookies,
    headers: { 'x-forwarded-for': source },
  };
  const device = openStaffDevice(services.config, cookie ?? null);
  const options = staffSessionOptions(services, device);
  await NextAuth(request as never, response as never, options);
  if (device.setCookie) answer.setCookie = [...answer.setCookie, device.setCookie];
  return answer;
}

const cookieOf = (setCookie: string[]) => setCookie.map((line) => line.split(';')[0]).join('; ');

/** Signs in as the sign-in page does; gives the Cookie header of the session, or the error the page is shown. */
export async function signInToPortal(
  services: Services,
  credentials: { email: string; password: string; code?: string; source?: string; cookie?: string },
): Promise<{ cookie: string; setCookie: string[]; device: string } | { error: string | null }> {
  const { source = '192.0.2.1', cookie: held = '', ...given } = credentials;
  const start = await askNextAuth(services, { method: 'GET', path: ['csrf'] });
  const answer = await askNextAuth(services, {
    method: 'POST',
    path: ['callback', 'credentials'],
    body: { ...given, csrfToken: String(start.body.csrfToken), json: 'true' },
    cookie: `${cookieOf(start.setCookie)}; ${held}`,
    source,
  });
  const session = answer.setCookie.filter((line) => line.includes('session-token'));
  if (answer.status !== 200 || session.length === 0)
    return { error: new URL(String(answer.body.url)).searchParams.get('error') };
  const device = answer.setCookie.find((line) => line.includes('carelane-devices=')) ?? '';
  return { cookie: cookieOf(session), setCookie: session, device };
}

/** Signs out as the portal's menu does. */
export async function signOutOfPortal(services: Services, cookie: string): Promise<Answer> {
  const start = await askNextAuth(services, { method: 'GET', path: ['csrf'] });
  return askNextAuth(services, {
    method: 'POST',
    path: ['signout'],
    body: { csrfToken: String(start.body.csrfToken), json: 'true' },
    cookie: `${cookieOf(start.setCookie)}; ${cookie}`,
  });
}
