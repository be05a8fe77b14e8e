/**
 * Runs another process of the service on the database that the environment names, and prints its URL when it listens.
 */
import { readConfig } from '#server/core/config.ts';
import { createServices } from '#server/services.ts';
import { serveHandlers } from './http-server.ts';

const services = createServices(readConfig(process.env));
const { url } = await serveHandlers(services);
services.events.start();
process.stdout.write(`${url}\n`);
// The pipe closes when the parent dies, also after SIGKILL.
process.stdin.resume().once('end', () => process.exit(0));
