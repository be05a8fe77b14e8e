import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemContext } from '#server/core/context.ts';
import { createApplication } from '#server/identity/applications/router.ts';
import { createTenant } from '#server/identity/staff/create-tenant.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startFakeTwilio } from './fake-twilio.ts';
import { freePort } from './http-server.ts';
import { requestToken } from './rest-client.ts';
import { testServices, testSettings } from './services.ts';
import { serviceProgram } from './start-service-process.ts';

const CHECK_EVERY_MS = 100;
/** After this many failed health checks in a row a process counts as down; after a 503, at once. */
const MAX_FAILED_CHECKS = 3;

/**
 * A load balancer as deployed in practice: sends each request to the next process whose health check returns 200, over
 * keep-alive connections, and never retries.
 */
async function startBalancer(upstreams: string[]) {
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

/** `PROVE=1` runs the long form. */
const ROUNDS = process.env.PROVE === '1' ? 10 : 1;
const CALLERS = 6;
const DRAIN_MS = 3000;

let database: TestDatabase;
let program: Awaited<ReturnType<typeof serviceProgram>>;
let phone: Awaited<ReturnType<typeof startFakeTwilio>>;
beforeAll(async () => {
  [database, program, phone] = await Promise.all([createTestDatabase(), serviceProgram(), startFakeTwilio()]);
});
afterAll(async () => {
  await program.stop();
  await phone.stop();
  await database.drop();
});

async function startBench() {
  const ports = [await freePort(), await freePort()];
  const settings = testSettings(database, { DRAIN_MS: `${DRAIN_MS}`, LOG_LEVEL: 'warn', ...phone.settings });
  const services = testServices(database, { ...settings, LOG_LEVEL: 'silent' });
  const { id } = await createTenant(services, { name: 'Riverbend Clinic', timeZone: 'America/New_York' });
  const ctx = systemContext(services, id, 'test');
  const scopes = ['patients:read', 'patients:write'] as const;
  const { application, client_secret } = await createApplication(ctx, { name: 'Server', scopes: [...scopes] });
  const start = (port: number) => program.start({ ...settings, PORT: `${port}` });
  return {
    ctx,
    start,
    ports,
    token: (url: string) => requestToken(url, { clientId: application.client_id, clientSecret: client_secret }),
  };
}

test('a rolling restart of two processes under load fails no request, and loses or repeats no job', {
  timeout: ROUNDS * 60_000 + 60_000,
}, async () => {
  const { ctx, start, ports, token } = await startBench();
  const running = await Promise.all(ports.map(start));
  const balancer = await startBalancer(running.map(({ url }) => url));
  const authorization = `Bearer ${await token(balancer.url)}`;
  const json = { authorization, 'content-type': 'application/json' };

  let loading = true;
  const failed: string[] = [];
  const responses = { read: 0, written: 0 };
  const request = async (kind: keyof typeof responses, init: RequestInit) => {
    const good = kind === 'read' ? 200 : 201;
    const response = await fetch(`${balancer.url}/api/v1/patients`, init).catch((error: Error) => error);
    if (response instanceof Error) failed.push(response.message);
    else if (response.status !== good) failed.push(`${response.status} ${await response.text()}`);
    else await response.text();
    responses[kind] += 1;
  };
  const load = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let n = 0; loading; n++) {
      await pause(20);
      const body = JSON.stringify({ first_name: 'Maple', last_name: `Number ${caller}-${n}` });
      await request(n % 3 ? 'read' : 'written', n % 3 ? { headers: json } : { method: 'POST', headers: json, body });
    }
  });
  const codes: string[] = [];
  const texting = (async () => {
    phone.takes(() => 300);
    for (; loading; await pause(100)) codes.push(await phone.send(ctx));
  })();

  const restart = async (place: number) => {
    await pause(500);
    const old = running[place]!;
    old.kill('SIGTERM');
    // It still serves requests while its health check reports the shutdown.
    let health = await fetch(`${old.url}/api/health`);
    while (health.status === 200) health = await fetch(`${old.url}/api/health`);
    expect([health.status, health.headers.get('connection')]).toEqual([503, 'close']);
    expect(await old.ended, old.log()).toBe(0);
    running[place] = await start(ports[place]!);
    await balancer.waitUntilHealthy(running[place]!.url);
  };
  try {
    for (let round = 0; round < ROUNDS; round++) for (const place of ports.keys()) await restart(place);
  } finally {
    loading = false;
  }
  await Promise.all([...load, texting]);
  for (let round = 0; round < 400 && codes.some((code) => !phone.deliveries.get(code)?.done); round++) await pause(50);
  expect(failed).toEqual([]);
  expect(codes.filter((code) => phone.deliveries.get(code)?.begun.length !== 1)).toEqual([]);
  expect(await ctx.db.patient.count()).toBe(responses.written);
  console.info(
    `rolling restart: ${ROUNDS * 2} restarts, ${responses.read} reads, ${responses.written} writes, ${codes.length} jobs`,
  );
  await balancer.stop();
  for (const process of running) process.kill('SIGTERM');
  for (const { ended, log } of running) expect(await ended, log()).toBe(0);
  await ctx.close();
});
