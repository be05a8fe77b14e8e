import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { bundleOptions, ENTRIES } from './build.mjs';
import { buildFolder, root } from './root.mjs';
import { UserError } from './user-error.mjs';

/** More than the service needs to stop after `DRAIN_MS`, during which it still accepts requests. */
const STOP_TIMEOUT_MS = 20_000;

/**
 * Starts one of our processes and waits for its ready line, a JSON object with `ready: true`. Its standard input is a
 * pipe that closes when this process ends for any reason, which ends it too. It runs in its own session, so that the
 * terminal's Ctrl-C does not reach it and processes stop in order.
 * @param {{ name: string, file: string, args?: string[], env: Record<string, string>, log?: string }} options `log` is
 * a file for its output; default the terminal
 */
async function startProcess({ name, file, args = [], env, log }) {
  const child = spawn(process.execPath, ['--enable-source-maps', file, ...args], {
    cwd: root,
    env: { ...env, CARELANE_LAUNCHED: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  child.stdin.on('error', () => {});
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
  const output = log ? createWriteStream(log, { mode: 0o600 }) : process.stdout;
  output.on('error', () => {});
  let errorOutput = '';
  child.stderr.on('data', (chunk) => {
    errorOutput = `${errorOutput}${chunk}`.slice(-4000);
    output.write(chunk);
  });
  const ready = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = readyMessage(line);
      if (message) resolve(message);
      else output.write(`${line}\n`);
    });
    child.once('error', reject);
    exited.then((code) => reject(new UserError((log && errorOutput.trim()) || `The ${name} ended at once (${code}).`)));
  });
  return {
    name,
    ready,
    exited,
    async stop() {
      child.kill('SIGTERM');
      const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS + Number(env.DRAIN_MS || 0));
      await exited;
      clearTimeout(killTimer);
    },
  };
}

function readyMessage(line) {
  if (!line.startsWith('{')) return null;
  try {
    const message = JSON.parse(line);
    return message.ready === true ? message : null;
  } catch {
    return null;
  }
}

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

/** Like `startProcess` for the service, but rebuilds and restarts it when a source changes. Pages reload themselves. */
async function startReloading(options) {
  const { context } = await import('esbuild');
  let current = await startProcess(options);
  let isFirst = true;
  const restart = async ({ errors }) => {
    if (isFirst) {
      isFirst = false;
      return;
    }
    for (const { text, location } of errors) console.error(`${location?.file}:${location?.line}: ${text}`);
    if (errors.length > 0) return;
    await current?.stop();
    current = await startProcess(options).catch((error) => void console.error(error.message));
  };
  const watcher = await context({
    ...bundleOptions,
    entryPoints: { main: ENTRIES.main },
    plugins: [{ name: 'restart', setup: (build) => build.onEnd(restart) }],
  });
  await watcher.watch();
  return {
    name: 'service',
    async stop() {
      await watcher.dispose();
      await current?.stop();
    },
  };
}
