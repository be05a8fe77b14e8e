import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './http-server.ts';

/** PgBouncer refuses to run as root; any other user works. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

export type Pooler = { url: string; stop(): Promise<void> };

/** Starts a PgBouncer in transaction mode with so few server connections that all clients share them. */
export async function startPgbouncer(databaseUrl: string, connections = 2): Promise<Pooler> {
  const { hostname, port: databasePort, username, password, pathname } = new URL(databaseUrl);
  const dir = await mkdtemp(path.join(tmpdir(), 'carelane-pooler-'));
  const port = await freePort();
  const users = path.join(dir, 'users.txt');
  const settings = path.join(dir, 'pgbouncer.ini');
  await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  await writeFile(
    settings,
    `[databases]
* = host=${hostname} port=${databasePort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 500
`,
  );
  await chmod(dir, 0o755);
  const program = process.env.PGBOUNCER_PATH ?? '/usr/sbin/pgbouncer';
  const child = spawn(program, ['-q', settings], { ...UNPRIVILEGED, stdio: 'ignore' });
  const exited = new Promise<void>((resolve, reject) => {
    child.once('exit', () => resolve());
    child.once('error', reject);
  });
  await Promise.race([
    waitUntilReachable(port, child),
    exited.then(() => Promise.reject(new Error('PgBouncer ended'))),
  ]);
  const url = Object.assign(new URL(`postgresql://127.0.0.1:${port}${pathname}`), { username, password });
  return {
    url: url.href,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await rm(dir, { recursive: true });
    },
  };
}

async function waitUntilReachable(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await pause(20);
  }
}
