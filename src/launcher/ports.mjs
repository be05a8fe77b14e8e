import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, tryPort } from './free-port.mjs';
import { readJson, writeJson } from './json-file.mjs';
import { UserError } from './user-error.mjs';

const NAMES = ['postgres', 'stripe', 'acuity', 'inbox', 'smtp'];
const PATIENCE_MS = 3000;

/** Returns the ports of the last start if they are still free, so that open tabs keep working. */
export async function choosePorts(data) {
  const file = path.join(data, 'ports.json');
  const last = readJson(file);
  const ports = Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await freePort(last[name])])));
  writeJson(file, ports);
  return ports;
}

const FAULTS = {
  EADDRINUSE: (port) => `Port ${port} is in use: choose another with --port or PORT.`,
  EACCES: (port) => `Port ${port} is only for root: choose one above 1023 with --port or PORT.`,
  EADDRNOTAVAIL: (_port, host) => `${host} is not an address of this machine: choose another with --host or HOST.`,
};

/** The service of a killed launcher may still be stopping, so the port is retried for a while. */
export async function requirePort(port, host) {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { fault } = await tryPort(port, host);
    if (!fault) return;
    if (fault !== 'EADDRINUSE' || performance.now() > deadline)
      throw new UserError(
        FAULTS[fault]?.(port, host) ?? `The service cannot listen on ${host}, port ${port}: ${fault}.`,
      );
    await sleep(100);
  }
}
