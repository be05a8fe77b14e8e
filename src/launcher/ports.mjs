import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, tryPort } from './free-port.mjs';
import { readJson, writeJson } from './keep-json.mjs';
import { Sentence } from './sentence.mjs';

const NAMES = ['postgres', 'stripe', 'acuity', 'inbox', 'smtp'];
const PATIENCE_MS = 3000;

/** The same free ports as last time where they are still free, so that addresses in open tabs stay good. */
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

/** A killed launcher's service may still be ending: give it a moment. */
export async function requirePort(port, host) {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { fault } = await tryPort(port, host);
    if (!fault) return;
    if (fault !== 'EADDRINUSE' || performance.now() > deadline)
      throw new Sentence(
        FAULTS[fault]?.(port, host) ?? `The service cannot listen on ${host}, port ${port}: ${fault}.`,
      );
    await sleep(100);
  }
}
