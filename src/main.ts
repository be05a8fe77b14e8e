import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import next from 'next';
import { startWorker } from '#jobs/worker.ts';
import { ConfigError, readConfig } from '#server/core/config.ts';
import { createServices } from '#server/core/context.ts';
import { createFront } from '#server/http/front.ts';
import { provideServices } from '#server/http/services.ts';
import { warmUp } from '#server/http/warm-up.ts';

const SHUTDOWN_MS = 8000;

/** The process: one server, whose doors answer before Next sees the request, and the worker beside it. */
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
  // Next listens for WebSockets on the server that it is told of, which takes every request with an Upgrade header away
  // from our doors; only its development tools have any.
  const sockets = dev ? {} : { httpServer: createServer() };
  const app = next({ dev, dir: process.cwd(), hostname: config.host, port: config.port, quiet: !dev, ...sockets });
  await app.prepare();
  const server = createFront(services, app.getRequestHandler(), { development: dev });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  warmUp().catch((error: Error) => services.log.error({ err: error.message }, 'warming up failed'));
  const stopWorker = config.worker === 'inline' ? await startWorker(services) : async () => {};
  process.stdout.write(`${JSON.stringify({ ready: true, port: (server.address() as AddressInfo).port })}\n`);

  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(0), SHUTDOWN_MS).unref();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    await stopWorker();
    await closed;
    await services.database.close();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Under the launcher, standard input is a pipe: when it closes, the launcher is gone.
  if (process.env.CARELANE_LAUNCHED === '1') process.stdin.resume().on('end', stop);
}

main().catch((error: NodeJS.ErrnoException) => {
  const sentence =
    error.code === 'EADDRINUSE'
      ? `Port ${process.env.PORT ?? 3000} is in use; choose another with PORT.`
      : error.message;
  process.stderr.write(`${error instanceof ConfigError || error.code ? sentence : (error.stack ?? sentence)}\n`);
  process.exit(1);
});
