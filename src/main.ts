import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import next from 'next';
import { startWorker } from '#jobs/worker.ts';
import { ConfigError, readConfig } from '#server/core/config.ts';
import { createHttpServer } from '#server/http/server.ts';
import { provideServices } from '#server/http/services.ts';
import { createShutdown } from '#server/http/shutdown.ts';
import { createServices } from '#server/services.ts';

/** Starts the process: one server, whose own routes run before Next's, and the worker. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const services = createServices(config);
  provideServices(services);
  process.env.NEXTAUTH_URL = config.publicUrl;
  process.env.NEXTAUTH_SECRET = config.sessionSecret;
  // A self-hosted service sends no telemetry.
  process.env.NEXT_TELEMETRY_DISABLED = '1';
  await services.database.assertConfined();

  const dev = process.env.CARELANE_DEV === '1';
  // Next handles WebSockets on the given server and takes all requests with an Upgrade header, also those of our
  // routes. Only its development tools use WebSockets.
  const sockets = dev ? {} : { httpServer: createServer() };
  const app = next({ dev, dir: process.cwd(), hostname: config.host, port: config.port, quiet: !dev, ...sockets });
  await app.prepare();
  let stopWorker = async () => {};
  const isOpen = () => ending.isOpen();
  const server = createHttpServer(services, app.getRequestHandler(), { development: dev, isOpen });
  const ending = createShutdown({ server, services, stopWorker: () => stopWorker() });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  // Computes OpenSSL's group for password sign-ins in advance, which takes a second that the first caller would wait.
  services.identity.srp
    .power(1n)
    .catch((error: Error) => services.log.error({ err: error.message }, 'warming up failed'));
  services.events.start();
  if (config.worker === 'inline') {
    stopWorker = await startWorker(services, exitWithError);
    services.webhooks.start(services);
  }
  process.stdout.write(`${JSON.stringify({ ready: true, port: (server.address() as AddressInfo).port })}\n`);

  const stop = () => ending.stop().then(() => process.exit(0));
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Under the launcher, standard input is a pipe that closes when the launcher ends.
  if (process.env.CARELANE_LAUNCHED === '1') process.stdin.resume().on('end', stop);
}

/** Exits at once: a job that this process may no longer hold must not continue. */
function exitWithError(error: Error): never {
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
