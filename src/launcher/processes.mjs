import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { buildFolder } from './root.mjs';
import { startProcess } from './start-process.mjs';
import { startReloading } from './start-reloading.mjs';

const entry = (name) => path.join(buildFolder, `${name}.mjs`);

/** Starts the emulators of the providers that the settings omit, in one process. */
export async function startEmulators({ step, options, ports, settings: { use, emulators: env } }) {
  const flags = ['stripe', 'acuity', 'inbox', 'smtp'].flatMap((name) =>
    use[name] ? [`--${name}-port`, `${ports[name]}`] : [],
  );
  if (flags.length === 0) return { name: 'emulators' };
  const data = path.join(options.data, 'emulators');
  mkdirSync(data, { recursive: true });
  const log = path.join(options.data, 'emulators.log');
  const start = () =>
    startProcess({ name: 'emulators', file: entry('emulators'), args: ['--data', data, ...flags], env, log });
  return step('start the emulators', start);
}

/** Starts the service. */
export function startService({ step, options, settings: { production, service }, database }) {
  const env = { ...service, DATABASE_URL: database.serviceUrl, NODE_ENV: options.dev ? 'development' : 'production' };
  delete env.MIGRATION_DATABASE_URL; // the service must not have the owner's password
  if (options.dev) env.CARELANE_DEV = '1';
  // In production the process manager collects the log; a sandbox's log would scroll the card off the screen.
  const log = production || options.dev ? undefined : path.join(options.data, 'service.log');
  const process = { name: 'service', file: entry('main'), env, log };
  return step('start the service', () => (options.dev ? startReloading(process) : startProcess(process)));
}
