import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, isFree } from '../free-port.mjs';
import { Sentence } from '../sentence.mjs';
import { readJson, writeJson } from './keep-json.mjs';

const NAMES = ['postgres', 'stripe', 'acuity', 'inbox', 'smtp'];
const PATIENCE_SECONDS = 3;

/** The same free ports as last time where they are still free, so that addresses in open tabs stay good. */
export async function choosePorts(data) {
  const file = path.join(data, 'ports.json');
  const last = readJson(file);
  const ports = Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await freePort(last[name])])));
  writeJson(file, ports);
  return ports;
}

/** A killed launcher's service may still be ending: give it a moment. */
export async function requirePort(port, host) {
  for (let waited = 0; waited < PATIENCE_SECONDS; waited += 0.1) {
    if (await isFree(port, host)) return;
    await sleep(100);
  }
  throw new Sentence(`Port ${port} is in use: choose another with --port or PORT.`);
}
