import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type LaunchOptions } from '@playwright/test';
import { readCard } from './card.ts';

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'pipe', 'pipe'] });

/** Network namespaces require root on Linux, and are not available on every machine. */
export function canCutNetworks(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const name = `try-${process.pid}`;
  const link = `try${process.pid}`;
  try {
    ip('netns', 'add', name);
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'here', 'netns', name);
    return true;
  } catch {
    return false;
  } finally {
    ipIgnoringErrors('link', 'del', link);
    ipIgnoringErrors('netns', 'del', name);
  }
}

/** An address range that this machine does not use yet, so that none of its traffic is redirected. */
function freeNetwork(): string {
  const used = ip('-4', 'route').toString() + ip('-4', '-o', 'addr').toString();
  for (let n = 0; n < 250; n += 1) {
    const prefix = `10.${1 + ((process.pid + n) % 250)}`;
    if (!used.includes(` ${prefix}.`) && !used.startsWith(`${prefix}.`) && !used.includes(`\n${prefix}.`))
      return prefix;
  }
  throw new Error('every network of 10.0.0.0/8 is in use here');
}

/** The patient's uplinks: the router at home (`home`), or a phone. */
export type Uplink = 'home' | 'phone';
const UPLINKS: Uplink[] = ['home', 'phone'];

export type CutNetwork = {
  launch: (options: LaunchOptions) => Promise<Browser>;
  /** Connects or disconnects an uplink. Without it, neither the call nor the service is reachable on that route. */
  setUplink: (uplink: Uplink, isUp: boolean) => void;
  close: () => Promise<void>;
};

/**
 * A network for one browser: two uplinks lead to a router, and a third link from there to this machine, which runs the
 * service and the other side. Neither uplink is connected yet.
 */
export async function openCutNetwork(): Promise<CutNetwork> {
  const prefix = freeNetwork();
  const [namespace, router] = [`visit-${process.pid}`, `router-${process.pid}`];
  const hostLink = `visit${process.pid}`;
  const service = `${prefix}.0.1`;
  const dir = mkdtempSync(path.join(tmpdir(), 'carelane-network-'));
  const { hostname, port } = new URL(readCard().portal_url);
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    client.pipe(upstream).pipe(client);
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const])
      socket.on('error', () => other.destroy());
  });
  const browsers: Browser[] = [];
  const close = async () => {
    for (const browser of browsers) await browser.close();
    server.close();
    ipIgnoringErrors('link', 'del', hostLink);
    for (const name of [namespace, router]) ipIgnoringErrors('netns', 'del', name);
    rmSync(dir, { recursive: true });
  };
  try {
    for (const name of [namespace, router]) {
      ip('netns', 'add', name);
      ip('-n', name, 'link', 'set', 'lo', 'up');
    }
    ip('netns', 'exec', router, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward');
    ip('link', 'add', hostLink, 'type', 'veth', 'peer', 'name', 'here', 'netns', router);
    ip('addr', 'add', `${service}/30`, 'dev', hostLink);
    ip('link', 'set', hostLink, 'up');
    ip('-n', router, 'addr', 'add', `${prefix}.0.2/30`, 'dev', 'here');
    ip('-n', router, 'link', 'set', 'here', 'up');
    ip('route', 'add', `${prefix}.0.0/16`, 'via', `${prefix}.0.2`);
    for (const [index, uplink] of UPLINKS.entries()) {
      ip('-n', router, 'link', 'add', uplink, 'type', 'veth', 'peer', 'name', uplink, 'netns', namespace);
      ip('-n', router, 'addr', 'add', `${prefix}.${index + 1}.1/30`, 'dev', uplink);
      ip('-n', router, 'link', 'set', uplink, 'up');
      ip('-n', namespace, 'addr', 'add', `${prefix}.${index + 1}.2/30`, 'dev', uplink);
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
      writeFileSync(program, `#!/bin/sh\nexec ip netns exec ${namespace} "${executablePath}" "$@"\n`);
      chmodSync(program, 0o700);
      // The service keeps its usual host name, so that pages may use devices.
      const hostRule = `--host-resolver-rules=MAP ${hostname}:${port} ${service}:${(server.address() as AddressInfo).port}`;
      const browser = await chromium.launch({ ...options, executablePath: program, args: [...(args ?? []), hostRule] });
      browsers.push(browser);
      return browser;
    },
    setUplink(uplink, isUp) {
      ip('-n', namespace, 'link', 'set', uplink, isUp ? 'up' : 'down');
      if (isUp) ip('-n', namespace, 'route', 'add', 'default', 'via', `${prefix}.${UPLINKS.indexOf(uplink) + 1}.1`);
    },
    close,
  };
}

function ipIgnoringErrors(...args: string[]): void {
  try {
    ip(...args);
  } catch {
    // It did not exist.
  }
}
