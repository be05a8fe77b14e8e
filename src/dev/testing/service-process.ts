/**
 * Runs another process of the service without pages: the HTTP server, the worker, and an orderly shutdown of both.
 * Prints its URL when it is ready.
 */
import { startWorker } from '#jobs/worker.ts';
import { readConfig } from '#server/core/config.ts';
import { createShutdown } from '#server/http/shutdown.ts';
import { createServices } from '#server/services.ts';
import { serveHandlers } from './http-server.ts';

const services = createServices(readConfig(process.env));
let stopWorker = async () => {};
const http = await serveHandlers(services, services.config.port, () => ending.isOpen());
const ending = createShutdown({ server: http.server, services, stopWorker: () => stopWorker() });
services.events.start();
if (services.config.worker === 'inline') {
  stopWorker = await startWorker(services);
  services.webhooks.start(services);
}
process.on('SIGTERM', () => ending.stop().then(() => process.exit(0)));
process.stdout.write(`${http.url}\n`);
// The pipe closes when the parent dies, also after SIGKILL.
process.stdin.resume().once('end', () => process.exit(0));
