import { canReachServer, isGatewayError, untilReached } from './reach-server.ts';

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
    return isPage ? fetchWhenConnected(() => plainFetch(input, init), init?.signal) : plainFetch(input, init);
  };
  return () => {
    window.fetch = plainFetch;
  };
}

export async function fetchWhenConnected(
  send: () => Promise<Response>,
  signal?: AbortSignal | null,
): Promise<Response> {
  try {
    const response = await send();
    if (!isGatewayError(response)) return response;
  } catch (error) {
    if (signal?.aborted) throw error;
  }
  if (await canReachServer()) return send();
  await untilReached();
  return fetchWhenConnected(send, signal);
}
