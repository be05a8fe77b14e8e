import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const CHECK_EVERY_MS = 100;
/** After this many failed health checks in a row a process counts as down; after a 503, at once. */
const MAX_FAILED_CHECKS = 3;

/**
 * A load balancer as deployed in practice: sends each request to the next process whose health check returns 200, over
 * keep-alive connections, and never retries.
 */
export async function startBalancer(upstreams: string[]) {
  const agent = new Agent({ keepAlive: true });
  const healthy = new Set<string>();
  const failures = new Map<string, number>();
  let turn = 0;

  async function checkHealth(url: string): Promise<void> {
    const response = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(5000) }).catch(() => null);
    await response?.text().catch(() => '');
    failures.set(url, response ? 0 : (failures.get(url) ?? 0) + 1);
    if (response?.status === 200) healthy.add(url);
    else if (response || failures.get(url)! >= MAX_FAILED_CHECKS) healthy.delete(url);
  }
  while (healthy.size < upstreams.length) await Promise.all(upstreams.map(checkHealth));
  let open = true;
  const checking = upstreams.map(async (url) => {
    for (; open; await pause(CHECK_EVERY_MS)) await checkHealth(url);
  });

  const server = createServer((incoming, outgoing) => {
    const to = [...healthy][turn++ % healthy.size];
    if (!to) return void outgoing.writeHead(503).end('no process is available');
    const { connection: _, ...headers } = incoming.headers;
    const forwarded = request(to + incoming.url, { method: incoming.method, headers, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, {
        'content-type': response.headers['content-type'] ?? 'text/plain',
      });
      response.pipe(outgoing);
    });
    forwarded.on('error', (error) => outgoing.writeHead(502).end(error.message));
    incoming.pipe(forwarded);
  });
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Resolves once requests are sent to this process. */
    async waitUntilHealthy(url: string): Promise<void> {
      while (!healthy.has(url)) await pause(20);
    },
    async stop() {
      open = false;
      await Promise.all(checking);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
