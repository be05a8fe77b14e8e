import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkIceServer } from '#server/providers/check-ice-server.ts';
import { freePort } from './http-server.ts';

const AS_DEPLOYED = fileURLToPath(new URL('../../examples/turnserver.conf', import.meta.url));
export const TURN_SECRET = 'the-secret-of-a-relay-in-tests';
const RELAYED_AT_ONCE = 200;
const MAX_ATTEMPTS = 100;

export type Relay = {
  host: string;
  port: number;
  stunUrl: string;
  /** By UDP, by TCP and, with `tls`, by TLS. */
  turnUrls: string[];
  /** Path of its self-signed certificate. */
  certificate: string;
  /** Settings for a service that uses the relay. */
  settings: Record<string, string>;
  stop(): Promise<void>;
};

/** A browser does not use a relay on a loopback address if the machine has another address. */
const ownAddress = (): string =>
  Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address ?? '127.0.0.2';

type CoturnOptions = {
  tls?: boolean;
  /** Additional configuration lines. */
  more?: string[];
};

/**
 * Starts a coturn with the deployment guide's settings that may relay to itself, so that both sides of a call can meet.
 */
export async function startCoturn({ tls = false, more = [] }: CoturnOptions = {}): Promise<Relay> {
  const host = ownAddress();
  const dir = await mkdtemp(path.join(tmpdir(), 'carelane-relay-'));
  const [port, tlsPort] = [await freePort(), await freePort()];
  const lowest = 50_000 + (process.pid % 50) * RELAYED_AT_ONCE;
  const [certificate, key] = [path.join(dir, 'certificate.pem'), path.join(dir, 'key.pem')];
  if (tls) await certify(host, certificate, key);
  const own: Record<string, string> = {
    'static-auth-secret': TURN_SECRET,
    'listening-port': String(port),
    'min-port': String(lowest),
    'max-port': String(lowest + RELAYED_AT_ONCE - 1),
    'tls-listening-port': String(tlsPort),
    cert: certificate,
    pkey: key,
  };
  const deployed = (await readFile(AS_DEPLOYED, 'utf8'))
    .split('\n')
    .filter((line) => !/^(#|$)/.test(line) && !Object.hasOwn(own, line.split('=')[0]!));
  const at = ['listening-ip', 'relay-ip', 'allowed-peer-ip'].map((name) => `${name}=${host}`);
  if (host.startsWith('127.')) at.push('allow-loopback-peers');
  const files = [`pidfile=${path.join(dir, 'pid')}`, `userdb=${path.join(dir, 'users')}`];
  if (!tls) files.push('no-tls', 'no-dtls');
  const lines = [...deployed, ...Object.entries(own).map((pair) => pair.join('=')), ...at, ...more, ...files];
  const settings = path.join(dir, 'turnserver.conf');
  await writeFile(settings, `${lines.join('\n')}\n`);
  const child = spawn(process.env.COTURN_PATH ?? '/usr/bin/turnserver', ['-c', settings], {
    stdio: 'ignore',
    cwd: dir,
  });
  const exited = new Promise<void>((resolve, reject) => {
    child.once('exit', () => resolve());
    child.once('error', reject);
  });
  const turn = `turn:${host}:${port}?transport=`;
  const stunUrl = `stun:${host}:${port}`;
  await Promise.race([
    waitUntilReachable(stunUrl, child),
    exited.then(() => Promise.reject(new Error('coturn ended'))),
  ]);
  const turnUrls = [`${turn}udp`, `${turn}tcp`, ...(tls ? [`turns:${host}:${tlsPort}`] : [])];
  return {
    host,
    port,
    stunUrl,
    turnUrls,
    certificate,
    settings: { VIDEO_STUN_URLS: stunUrl, VIDEO_TURN_URLS: turnUrls.join(), VIDEO_TURN_SECRET: TURN_SECRET },
    async stop() {
      child.kill('SIGKILL');
      await exited;
      await rm(dir, { recursive: true });
    },
  };
}

async function certify(host: string, certificate: string, key: string): Promise<void> {
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const named = ['-subj', '/CN=relay', '-addext', `subjectAltName=IP:${host}`];
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...named, '-keyout', key, '-out', certificate]);
}

async function waitUntilReachable(url: string, child: ChildProcess): Promise<void> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS && child.exitCode === null; attempts++) {
    if ((await checkIceServer({ url }, 200)).works) return;
    await pause(50);
  }
}
