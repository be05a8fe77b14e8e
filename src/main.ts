import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import next from 'next';
import { startWorker } from '#jobs/worker.ts';
import { ConfigError, readConfig } from '#server/core/config.ts';
import { createServices } from '#server/core/context.ts';
import { createHealthDoor } from '#server/http/health.ts';
import { createIdentityDoor } from '#server/http/identity.ts';
import { createLinkDoor } from '#server/http/links.ts';
import { originForm, pageFault } from '#server/http/request-target.ts';
import { createRestDoor } from '#server/http/rest.ts';
import { provideServices } from '#server/http/services.ts';
import { createStop } from '#server/http/stop-in-order.ts';
import { warmUp } from '#server/http/warm-up.ts';
import { createWebhookDoor } from '#server/http/webhooks.ts';
import { asNode } from '#server/http/wire.ts';

/** A caller who dribbles holds a socket no longer than this. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;

/** The process: our doors answer before Next sees the request, for Next's own path costs more than the work itself. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const services = createServices(config);
  provideServices(services);
  process.env.NEXTAUTH_URL = config.publicUrl;
  process.env.NEXTAUTH_SECRET = config.sessionSecret;
  // A self-hosted service tells nobody that it runs.
  process.env.NEXT_TELEMETRY_DISABLED = '1';
  await services.database.assertConfined();

  const dev = process.env.CARELANE_DEV === '1';
  const app = next({ dev, dir: process.cwd(), hostname: config.host, port: config.port, quiet: !dev });
  await app.prepare();
  const page = app.getRequestHandler();
  const doors: [string, (req: IncomingMessage, res: ServerResponse) => Promise<void>][] = [
    ['/api/v1/', asNode(createRestDoor(services), config)],
    ['/identity/', asNode(createIdentityDoor(services), config)],
    ['/.well-known/oauth-authorization-server/', asNode(createIdentityDoor(services), config)],
    ['/api/webhooks/', asNode(createWebhookDoor(services), config)],
    ['/api/links/', asNode(createLinkDoor(services), config)],
    [
      '/api/health',
      asNode(
        createHealthDoor(services, () => ending.isOpen()),
        config,
      ),
    ],
  ];
  const server = createServer((req, res) => {
    // Next tells pages the peer's address in this header; with no proxy in front, a caller must not choose it.
    if (!config.trustProxy) delete req.headers['x-forwarded-for'];
    req.url = originForm(req.url ?? '/');
    const path = req.url.split('?')[0]!;
    const door = doors.find(([at]) => (at.endsWith('/') ? path.startsWith(at) : path === at))?.[1];
    const fault = door ? null : pageFault(req, path);
    if (fault) return void res.writeHead(fault, { connection: 'close' }).end();
    (door ? door(req, res) : page(req, res)).catch((error: Error) => {
      services.log.error({ err: error.message }, 'request ended without an answer');
      if (!res.headersSent) res.writeHead(500);
      res.end();
    });
  });
  let stopWorker = async () => {};
  const ending = createStop({ server, services, stopWorker: () => stopWorker() });
  server.keepAliveTimeout = 65_000;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  warmUp().catch((error: Error) => services.log.error({ err: error.message }, 'warming up failed'));
  if (config.worker === 'inline') stopWorker = await startWorker(services, endLoudly);
  process.stdout.write(`${JSON.stringify({ ready: true, port: (server.address() as AddressInfo).port })}\n`);

  const stop = () => ending.stop().then(() => process.exit(0));
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Under the launcher, standard input is a pipe: when it closes, the launcher is gone.
  if (process.env.CARELANE_LAUNCHED === '1') process.stdin.resume().on('end', stop);
}

/** At once: a job that this process may no longer hold must not go on in it. */
function endLoudly(error: Error): never {
  process.stderr.write(`Background work cannot go on, so the process ends: ${error.message}\n`);
  process.exit(1);
}

main().catch((error: NodeJS.ErrnoException) => {
  const sentence =
    error.code === 'EADDRINUSE'
      ? `Port ${process.env.PORT ?? 3000} is in use; choose another with PORT.`
      : error.message;
  process.stderr.write(`${error instanceof ConfigError || error.code ? sentence : (error.stack ?? sentence)}\n`);
  process.exit(1);
});
