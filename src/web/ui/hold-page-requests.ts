import { canReachServer, isGatewayError, reportNoResponse } from './reach-server.ts';

const PREFETCH_HEADERS = ['next-router-prefetch', 'next-router-segment-prefetch'];

/**
 * Makes Next's requests for pages wait for a lost connection: when one fails, Next has the browser load the page, which
 * replaces the portal by an error page. Next's own `experimental.useOffline` adds a kilobyte to every page, and takes a
 * proxy's error for a response.
 * @returns a function that ends this
 */
export function holdPageRequests(): () => void {
  const { fetch: plainFetch } = window;
  window.fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    const isPage = headers.has('rsc') && !PREFETCH_HEADERS.some((name) => headers.has(name));
    return isPage ? fetchWhenConnected(() => plainFetch(input, init)) : plainFetch(input, init);
  };
  return () => {
    window.fetch = plainFetch;
  };
}

export async function fetchWhenConnected(send: () => Promise<Response>): Promise<Response> {
  try {
    const response = await send();
    if (!isGatewayError(response)) return response;
  } catch {
    // No response.
  }
  if (await canReachServer()) return send();
  const isOnline = new Promise((resolve) => window.addEventListener('online', resolve, { once: true }));
  reportNoResponse();
  await isOnline;
  return fetchWhenConnected(send);
}
