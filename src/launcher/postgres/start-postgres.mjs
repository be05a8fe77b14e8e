import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../free-port.mjs';
import { binaries } from './binaries.mjs';
import { explain } from './explain.mjs';
import { identityFor } from './identity.mjs';
import { initialise, LOCALE, OWNER } from './initialise.mjs';
import { waitForLock } from './lock.mjs';

// Only test databases may lose data in a crash of the machine.
const FORGETFUL = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

// The shell keeps our pipe open. When this process ends for any reason, `cat` reads end-of-file and PostgreSQL gets
// SIGINT: a fast, clean shutdown.
const DIE_WITH_US = `exec 3<&0
"$@" </dev/null 3<&- & server=$!
(cat <&3 >/dev/null; kill -INT $server 2>/dev/null) & watch=$!
exec 3<&-
wait $server; code=$?
kill $watch 2>/dev/null
exit $code`;

/**
 * Starts a PostgreSQL server on the loopback address, and creates its data folder on the first start.
 * @param {{ dir: string, password: string, port?: number, durable?: boolean, settings?: Record<string, string> }}
 * options `password` is the superuser's, the same at each start of a folder
 * @returns {Promise<{ port: number, url: (database: string) => string, exited: Promise<unknown>, stop: () =>
 * Promise<void> }>} `url` returns the superuser's URL of a database; `stop` resolves when the server has ended
 * @throws {import('../user-error.mjs').UserError}
 */
export async function startPostgres({ dir, password, port, durable = true, settings = {} }) {
  const programs = binaries();
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const identity = identityFor(dir, programs.postgres);
  const data = initialise({ dir, password, durable, identity, initdb: programs.initdb });
  await waitForLock(data);
  const chosen = await freePort(port);
  const options = {
    listen_addresses: '127.0.0.1',
    port: chosen,
    unix_socket_directories: '',
    max_connections: 200,
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Error details quote rows, which contain patient data.
    log_error_verbosity: 'terse',
    ...(durable ? {} : FORGETFUL),
    ...settings,
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = keep(identity, [programs.postgres, '-D', data, ...flags], data);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await ready(child, dir);
  return {
    port: chosen,
    url: (database) => `postgresql://${OWNER}:${password}@127.0.0.1:${chosen}/${database}`,
    exited,
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}

/**
 * Spawns the server so that it cannot outlive this process; in its own session, so that the terminal's Ctrl-C does not
 * reach it first.
 */
function keep({ prefix, ids }, server, cwd) {
  const [command, ...args] = [...prefix, 'sh', '-c', DIE_WITH_US, 'sh', ...server];
  const env = { ...process.env, LC_ALL: LOCALE, TZ: 'UTC' };
  return spawn(command, args, { ...ids, env, cwd, stdio: ['pipe', 'ignore', 'pipe'], detached: true });
}

/** Resolves when the server accepts connections; its output goes to a log next to the data. */
function ready(child, dir) {
  const log = createWriteStream(path.join(dir, 'postgres.log'), { mode: 0o600 });
  log.on('error', () => {}); // a full disk must not end the launcher
  child.stdin.on('error', () => {}); // the server ended first
  child.stderr.on('data', (chunk) => log.write(chunk));
  return new Promise((resolve, reject) => {
    let output = '';
    const listen = (chunk) => {
      output += chunk;
      if (!output.includes('ready to accept connections')) return;
      child.stderr.off('data', listen);
      resolve();
    };
    child.stderr.on('data', listen);
    child.once('error', reject);
    child.once('exit', () => reject(explain(output, dir)));
  });
}
