import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 100;
/** After this many failed health checks in a row a process counts as down; after a 503, at once. */
const SILENT_LOOKS = 3;

/**
 * A load balancer as deployed in practice: sends each request to the next process whose health check returns 200, over
 * keep-alive connections, and never retries.
 */
export async function startBalancer(upstreams: string[]) {
  const agent = new Agent({ keepAlive: true });
  const welcome = new Set<string>();
  const silent = new Map<string, number>();
  let turn = 0;

  async function look(url: string): Promise<void> {
    const answer = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(5000) }).catch(() => null);
    await answer?.text().catch(() => '');
    silent.set(url, answer ? 0 : (silent.get(url) ?? 0) + 1);
    if (answer?.status === 200) welcome.add(url);
    else if (answer || silent.get(url)! >= SILENT_LOOKS) welcome.delete(url);
  }
  while (welcome.size < upstreams.length) await Promise.all(upstreams.map(look));
  let open = true;
  const looking = upstreams.map(async (url) => {
    for (; open; await pause(LOOK_EVERY_MS)) await look(url);
  });

  const server = createServer((incoming, outgoing) => {
    const to = [...welcome][turn++ % welcome.size];
    if (!to) return void outgoing.writeHead(503).end('no process is available');
    const { connection: _, ...headers } = incoming.headers;
    const forwarded = request(to + incoming.url, { method: incoming.method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] ?? 'text/plain' });
      answer.pipe(outgoing);
    });
    forwarded.on('error', (error) => outgoing.writeHead(502).end(error.message));
    incoming.pipe(forwarded);
  });
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Resolves once requests are sent to this process. */
    async sees(url: string): Promise<void> {
      while (!welcome.has(url)) await pause(20);
    },
    async stop() {
      open = false;
      await Promise.all(looking);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
