import type { Reply, Source } from './source.ts';

/** A staff user in a browser, with the cookies that the portal set. */
export type Member = {
  email: string;
  password: string;
  /** The session's cookie. */
  cookie: string;
  /** The cookie of a known browser. */
  device: string;
};
export type PortalSignIn = { cookie: string; device: string } | { error: string };

const pairs = (setCookie: string[]) => setCookie.map((line) => line.split(';')[0]).join('; ');

/** Sends the sign-in page's requests. @returns the cookies, or the error that the page shows */
export async function signInToPortal(
  portal: string,
  source: Source,
  { email, password, device = '' }: { email: string; password: string; device?: string },
): Promise<PortalSignIn> {
  const start = await source.send('GET', `${portal}/api/auth/csrf`);
  const response = await source.send('POST', `${portal}/api/auth/callback/credentials`, {
    form: { email, password, csrfToken: start.body.csrfToken, json: 'true' },
    cookie: [pairs(start.setCookie), device].filter(Boolean).join('; '),
  });
  const session = response.setCookie.filter((line) => line.includes('session-token'));
  if (response.status !== 200 || session.length === 0)
    return {
      error: (response.body?.url && new URL(response.body.url).searchParams.get('error')) || `${response.status}`,
    };
  const deviceCookie = pairs(response.setCookie.filter((line) => line.includes('carelane-devices=')));
  return { cookie: pairs(session), device: deviceCookie || device };
}

/** Calls a procedure of the portal. @returns the response, successful or not */
export function callPortal(
  portal: string,
  source: Source,
  cookie: string,
  method: 'GET' | 'POST',
  name: string,
  input?: object,
): Promise<Reply> {
  const query = method === 'GET' && input ? `?input=${encodeURIComponent(JSON.stringify(input))}` : '';
  return source.send(method, `${portal}/api/trpc/${name}${query}`, {
    cookie,
    headers: { 'x-carelane-portal': '1' },
    ...(method === 'POST' && input && { json: input }),
  });
}
