import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { type Browser, chromium, type LaunchOptions } from '@playwright/test';
import { readCard } from './card.ts';

export type ExtraProcess = {
  /** Opens a browser that reaches the service's address by this process only. */
  launch: (options: LaunchOptions) => Promise<Browser>;
  /** Ends the process as a deployment does. Until `start`, connections to it fail. */
  stop: () => Promise<void>;
  start: () => Promise<void>;
  close: () => Promise<void>;
};

/** The processes of Linux, with their environment. */
export const canReadProcesses = () => process.platform === 'linux';

/** Starts one more process of the served copy, with its settings and database, as behind a load balancer. */
export async function openExtraProcess(): Promise<ExtraProcess> {
  const { hostname, port } = new URL(readCard().portal_url);
  const served = findService(port);
  const browsers: Browser[] = [];
  const sockets = new Set<Socket>();
  let child: ChildProcess | undefined;
  let upstream = 0;
  const server = createServer((client) => {
    const service = connect(upstream, '127.0.0.1');
    client.pipe(service).pipe(client);
    for (const [socket, other] of [[client, service] as const, [service, client] as const]) {
      sockets.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => sockets.delete(socket));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  async function start(): Promise<void> {
    // Its standard input closes when this process ends, which ends it too.
    child = spawn(process.execPath, [served.file], {
      cwd: served.cwd,
      env: { ...(served.env as NodeJS.ProcessEnv), PORT: '0' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    upstream = await new Promise((resolve, reject) => {
      child!.once('exit', (code) => reject(new Error(`the process ended at once (${code})`)));
      createInterface({ input: child!.stdout! }).on('line', (line) => {
        if (line.startsWith('{"ready":true')) resolve(JSON.parse(line).port);
      });
    });
  }
  async function stop(): Promise<void> {
    if (!child || child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
    upstream = 0;
  }
  await start();
  return {
    async launch({ args, ...options }) {
      const own = `MAP ${hostname}:${port} 127.0.0.1:${(server.address() as AddressInfo).port}`;
      const browser = await chromium.launch({ ...options, args: [...(args ?? []), `--host-resolver-rules=${own}`] });
      browsers.push(browser);
      return browser;
    },
    start,
    stop,
    async close() {
      for (const browser of browsers) await browser.close();
      await stop();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** The program, folder and environment of the process that serves this port. */
function findService(port: string): { file: string; cwd: string; env: Record<string, string> } {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const file = readList(pid, 'cmdline').find((part) => part.endsWith('/main.mjs'));
    const env = file && Object.fromEntries(readList(pid, 'environ').map(split));
    if (file && env && env.PORT === port) return { file, env, cwd: readlinkSync(`/proc/${pid}/cwd`) };
  }
  throw new Error(`no process of this machine serves port ${port}`);
}

/** A list of a process; empty if it has ended. */
function readList(pid: string, name: 'cmdline' | 'environ'): string[] {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0').filter(Boolean);
  } catch {
    return [];
  }
}

const split = (entry: string): [string, string] => [
  entry.slice(0, entry.indexOf('=')),
  entry.slice(entry.indexOf('=') + 1),
];
