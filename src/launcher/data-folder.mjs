import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readJson, writeJson } from './json-file.mjs';
import { root } from './root.mjs';
import { UserError } from './user-error.mjs';

const MEGABYTE = 2 ** 20;
// Packages take about 1.1 GB, pages and a database another 200 MB; later starts need almost nothing.
const FIRST_START_MB = 1500;
const LATER_START_MB = 150;
const PATIENCE_MS = 4000;
const OWN = ['postgres', 'emulators', 'secrets.json', 'ports.json', 'seed.json', 'seeded.json', 'card.json'];

/**
 * Locks the data folder for this launcher.
 * @returns {Promise<() => void>} releases the folder
 * @throws {UserError} when another launcher uses the folder, or the disk is full
 */
export async function openDataFolder({ data, reset }) {
  makeFolder(data);
  requireSpace(root, existsSync(path.join(root, '.next/BUILD_ID')) ? LATER_START_MB : FIRST_START_MB);
  requireSpace(data, LATER_START_MB);
  const file = path.join(data, 'launcher.json');
  await waitForOther(readJson(file).pid, data);
  if (reset) for (const name of OWN) rmSync(path.join(data, name), { recursive: true, force: true });
  writeJson(file, { pid: process.pid });
  return () => rmSync(file, { force: true });
}

function makeFolder(data) {
  try {
    mkdirSync(data, { recursive: true });
  } catch (error) {
    throw new UserError(`The data folder ${data} cannot be made: ${error.message}.`);
  }
}

function requireSpace(folder, megabytes) {
  const { bavail, bsize } = statfsSync(folder);
  const free = Math.floor((bavail * bsize) / MEGABYTE);
  if (free < megabytes)
    throw new UserError(
      `There is not enough space on the disk of ${folder}: ${free} MB are free, ${megabytes} MB are needed.`,
    );
}

/** Waits for a launcher whose npm was killed and that is still stopping its processes. */
async function waitForOther(pid, data) {
  const deadline = performance.now() + PATIENCE_MS;
  while (pid && isLauncher(pid)) {
    if (performance.now() > deadline) throw alreadyRuns(pid, data);
    await sleep(100);
  }
}

const alreadyRuns = (pid, data) =>
  new UserError(`Carelane already runs with ${data} (process ${pid}): stop it, or use another folder with --data.`);

/** Process ids are reused, so the command line is compared where the system exposes it. */
function isLauncher(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('start.mjs');
  } catch {
    return true;
  }
}
