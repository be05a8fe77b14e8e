// Shows a page of ours where the browser or a proxy would show its own: when a page cannot be reached. Keeps nothing.
const pageOf = (nonce) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>No connection · Carelane</title>
<style>
  :root { color-scheme: light dark; --ground: #f7f9f9; --ink: #10211f; --muted: #51636a; --accent: #0b6b66; --on: #fff; --soft: #e9eeee; }
  @media (prefers-color-scheme: dark) {
    :root { --ground: #0d1314; --ink: #e7efee; --muted: #9aabad; --accent: #58c4b8; --on: #04211e; --soft: #222e2f; }
  }
  body { margin: 0; min-height: 100vh; display: grid; place-content: center; justify-items: center; padding: 2rem 1rem;
    box-sizing: border-box; text-align: center; background: var(--ground); color: var(--ink);
    font: 0.875rem/1.4 ui-sans-serif, system-ui, sans-serif; }
  strong { font-size: 1rem; }
  h1 { margin: 1.5rem 0 0.5rem; font-size: 1.25rem; }
  p { margin: 0 0 0.75rem; max-width: 24rem; color: var(--muted); }
  a { display: inline-block; margin-top: 0.5rem; padding: 0.75rem 1.25rem; border-radius: 0.375rem; background: var(--accent);
    color: var(--on); font-weight: 500; text-decoration: none; }
  a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
</style>
<main>
  <strong>Carelane</strong>
  <h1>No connection</h1>
  <p>This page cannot be reached at the moment. What was saved is safe.</p>
  <p>It opens by itself when the connection is back.</p>
  <a href="">Try again</a>
</main>
<script nonce="${nonce}">
  // Longer after each page that was not reached although the service responds.
  const KEY = 'carelane-offline-wait';
  const [before, at] = (sessionStorage.getItem(KEY) ?? '').split(' ').map(Number);
  let wait = at && Date.now() - at < 60000 ? Math.min(2 * before, 15000) : 1000;
  let timer;
  async function check() {
    clearTimeout(timer);
    const isReached = await fetch('/api/health', { cache: 'no-store' }).then(({ ok }) => ok, () => false);
    if (isReached) {
      sessionStorage.setItem(KEY, wait + ' ' + Date.now());
      return location.reload();
    }
    timer = setTimeout(check, wait);
    wait = Math.min(2 * wait, 15000);
  }
  addEventListener('online', check);
  timer = setTimeout(check, wait);
</script>
</html>`;

function offline() {
  const nonce = crypto.randomUUID();
  return new Response(pageOf(nonce), {
    status: 503,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
    },
  });
}

/** The service's own errors are JSON. */
const isGatewayError = ({ status, headers }) =>
  [502, 503, 504].includes(status) && !headers.get('content-type')?.startsWith('application/json');

/** A proxy's error is no page: the portal, which fetches its pages, waits for the connection as without a response. */
async function fetchPage(request) {
  const failed = () => (request.mode === 'navigate' ? offline() : Response.error());
  try {
    const response = await fetch(request);
    return isGatewayError(response) ? failed() : response;
  } catch {
    return failed();
  }
}

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  // A download is no page.
  if (new URL(request.url).pathname.startsWith('/api/')) return;
  if (request.mode === 'navigate' || request.headers.has('rsc')) event.respondWith(fetchPage(request));
});
