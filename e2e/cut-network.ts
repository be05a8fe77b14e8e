import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type LaunchOptions } from '@playwright/test';
import { readCard } from './card.ts';

const ip = (...words: string[]) => execFileSync('ip', words, { stdio: ['ignore', 'pipe', 'pipe'] });

/** Network namespaces require root on Linux, and are not available on every machine. */
export function canCutNetworks(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const name = `try-${process.pid}`;
  const cable = `try${process.pid}`;
  try {
    ip('netns', 'add', name);
    ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'here', 'netns', name);
    return true;
  } catch {
    return false;
  } finally {
    tryTo('link', 'del', cable);
    tryTo('netns', 'del', name);
  }
}

/** An address range that this machine does not use yet, so that none of its traffic is redirected. */
function freeNetwork(): string {
  const used = ip('-4', 'route').toString() + ip('-4', '-o', 'addr').toString();
  for (let n = 0; n < 250; n += 1) {
    const net = `10.${1 + ((process.pid + n) % 250)}`;
    if (!used.includes(` ${net}.`) && !used.startsWith(`${net}.`) && !used.includes(`\n${net}.`)) return net;
  }
  throw new Error('every network of 10.0.0.0/8 is in use here');
}

/** Routes as from a machine at home: through the home router (`house`), or through a phone. */
export type Way = 'house' | 'phone';
const WAYS: Way[] = ['house', 'phone'];

export type CutNetwork = {
  launch: (options: LaunchOptions) => Promise<Browser>;
  /** Connects or disconnects a cable; without it, neither the call nor the service is reachable on this route. */
  plug: (way: Way, isIn: boolean) => void;
  close: () => Promise<void>;
};

/**
 * A network for one browser: two cables lead to a router, and a third from there to this machine, which runs the
 * service and the other side. Neither of the two is connected yet.
 */
export async function openCutNetwork(): Promise<CutNetwork> {
  const net = freeNetwork();
  const [space, router] = [`visit-${process.pid}`, `router-${process.pid}`];
  const here = `visit${process.pid}`;
  const service = `${net}.0.1`;
  const dir = mkdtempSync(path.join(tmpdir(), 'carelane-network-'));
  const { hostname, port } = new URL(readCard().portal_url);
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.pipe(far).pipe(near);
    for (const [one, other] of [[near, far] as const, [far, near] as const]) one.on('error', () => other.destroy());
  });
  const browsers: Browser[] = [];
  const close = async () => {
    for (const browser of browsers) await browser.close();
    server.close();
    tryTo('link', 'del', here);
    for (const name of [space, router]) tryTo('netns', 'del', name);
    rmSync(dir, { recursive: true });
  };
  try {
    for (const name of [space, router]) {
      ip('netns', 'add', name);
      ip('-n', name, 'link', 'set', 'lo', 'up');
    }
    ip('netns', 'exec', router, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward');
    ip('link', 'add', here, 'type', 'veth', 'peer', 'name', 'here', 'netns', router);
    ip('addr', 'add', `${service}/30`, 'dev', here);
    ip('link', 'set', here, 'up');
    ip('-n', router, 'addr', 'add', `${net}.0.2/30`, 'dev', 'here');
    ip('-n', router, 'link', 'set', 'here', 'up');
    ip('route', 'add', `${net}.0.0/16`, 'via', `${net}.0.2`);
    for (const [at, way] of WAYS.entries()) {
      ip('-n', router, 'link', 'add', way, 'type', 'veth', 'peer', 'name', way, 'netns', space);
      ip('-n', router, 'addr', 'add', `${net}.${at + 1}.1/30`, 'dev', way);
      ip('-n', router, 'link', 'set', way, 'up');
      ip('-n', space, 'addr', 'add', `${net}.${at + 1}.2/30`, 'dev', way);
    }
    server.listen(0, service);
    await once(server, 'listening');
  } catch (error) {
    await close();
    throw error;
  }
  const program = path.join(dir, 'browser');
  return {
    async launch({ executablePath, args, ...options }) {
      writeFileSync(program, `#!/bin/sh\nexec ip netns exec ${space} "${executablePath}" "$@"\n`);
      chmodSync(program, 0o700);
      // The service keeps its usual host name, so that pages may use devices.
      const lead = `--host-resolver-rules=MAP ${hostname}:${port} ${service}:${(server.address() as AddressInfo).port}`;
      const browser = await chromium.launch({ ...options, executablePath: program, args: [...(args ?? []), lead] });
      browsers.push(browser);
      return browser;
    },
    plug(way, isIn) {
      ip('-n', space, 'link', 'set', way, isIn ? 'up' : 'down');
      if (isIn) ip('-n', space, 'route', 'add', 'default', 'via', `${net}.${WAYS.indexOf(way) + 1}.1`);
    },
    close,
  };
}

function tryTo(...words: string[]): void {
  try {
    ip(...words);
  } catch {
    // It did not exist.
  }
}
