import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseTlsFaults } from '../server/core/database-tls.mjs';
import { buildPages, bundle, generateClient, generateClientTypes } from './build.mjs';
import { makeCard, printCard } from './card.mjs';
import { freePort, tryPort } from './free-port.mjs';
import { install } from './install.mjs';
import { readJson, writeJson } from './json-file.mjs';
import { readOptions } from './options.mjs';
import { packPackages } from './packages.mjs';
import { startEmulators, startService } from './processes.mjs';
import { createProgress } from './progress.mjs';
import { buildFolder, root } from './root.mjs';
import { runNode } from './run-command.mjs';
import { loadSecrets } from './secrets.mjs';
import { createSettings } from './settings.mjs';
import { UserError } from './user-error.mjs';

const MEGABYTE = 2 ** 20;
// Packages take about 1.1 GB, pages and a database another 200 MB; later starts need almost nothing.
const FIRST_START_MB = 1500;
const LATER_START_MB = 150;
const OTHER_LAUNCHER_TIMEOUT_MS = 4000;
const OWN_FILES = ['postgres', 'emulators', 'secrets.json', 'ports.json', 'seed.json', 'seeded.json', 'card.json'];

/**
 * Locks the data folder for this launcher.
 * @returns {Promise<() => void>} releases the folder
 * @throws {UserError} when another launcher uses the folder, or the disk is full
 */
async function openDataFolder({ data, reset }) {
  makeFolder(data);
  requireSpace(root, existsSync(path.join(root, '.next/BUILD_ID')) ? LATER_START_MB : FIRST_START_MB);
  requireSpace(data, LATER_START_MB);
  const file = path.join(data, 'launcher.json');
  await waitForOtherLauncher(readJson(file).pid, data);
  if (reset) for (const name of OWN_FILES) rmSync(path.join(data, name), { recursive: true, force: true });
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
async function waitForOtherLauncher(pid, data) {
  const deadline = performance.now() + OTHER_LAUNCHER_TIMEOUT_MS;
  while (pid && isLauncher(pid)) {
    if (performance.now() > deadline) throw alreadyRunning(pid, data);
    await sleep(100);
  }
}

const alreadyRunning = (pid, data) =>
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

const PARENT_CHECK_MS = 250;

/**
 * Stops everything that was started, in reverse order: on Ctrl-C, on request, when a process ends unexpectedly or when
 * npm was killed.
 */
function createShutdown() {
  const parts = [];
  const cleanups = [];
  let stopping = false;

  async function stop(code) {
    if (stopping) return;
    stopping = true;
    for (const part of parts.reverse()) await part.stop?.();
    for (const work of cleanups) work();
    process.exit(code);
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      if (stopping) process.exit(1); // a second signal: the processes end with this one
      stop(0);
    });
  stopWithNpm(stop);

  return {
    stop,
    isStopping: () => stopping,
    /** Adds work to run after all processes have ended. */
    atEnd: (work) => void cleanups.push(work),
    /** Adds a process of the deployment; its end stops everything. */
    add(part) {
      parts.push(part);
      part.exited?.then((code) => {
        if (stopping) return;
        console.error(`\nThe ${part.name} ended by itself (${code}); see its log in the data folder.`);
        stop(1);
      });
      return part;
    },
  };
}

/** A killed npm leaves its script running, which would occupy the port of the next start. */
function stopWithNpm(stop) {
  if (!process.env.npm_lifecycle_event) return;
  const npm = parentOfShell(process.ppid) ?? process.ppid;
  setInterval(() => isGone(npm) && stop(0), PARENT_CHECK_MS).unref();
}

/**
 * Most shells stay between npm and its script; Linux exposes the parent.
 * @returns null when the process is no shell, or the system does not expose it
 */
function parentOfShell(pid) {
  try {
    // proc(5): pid (command) state ppid …
    const [, command, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').match(/\((.*)\) \S+ (\d+)/);
    return /^(ba|da|z|k|a)?sh$/.test(command) ? Number(parent) : null;
  } catch {
    return null;
  }
}

function isGone(pid) {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

const DATABASE_NAME = 'carelane';

/**
 * Opens and migrates the database: the external one of the settings, else an embedded one.
 * @returns {Promise<{ name: string, serviceUrl: string, ownerUrl?: string, stop?: () => Promise<void>, exited?: Promise<unknown> }>}
 */
async function openDatabase({ step, options, settings, secrets, port }) {
  const { DATABASE_URL, MIGRATION_DATABASE_URL } = settings.service;
  const ownerUrl = options.databaseUrl ?? MIGRATION_DATABASE_URL;
  const externalUrl = ownerUrl ?? DATABASE_URL;
  if (!externalUrl && settings.production) throw new UserError('A production start needs DATABASE_URL.');
  if (!externalUrl) return startEmbedded({ step, options, secrets, port });
  const urls = { [options.databaseUrl ? '--database-url' : 'MIGRATION_DATABASE_URL']: ownerUrl, DATABASE_URL };
  const errors = databaseTlsFaults(settings.service, urls);
  if (errors.length > 0) throw new UserError(errors.join('\n'));
  const serviceUrl = DATABASE_URL ?? roleUrl(externalUrl, `${nameIn(externalUrl)}_service`, secrets.servicePassword);
  await explainUnreachable(() => migrateIfNeeded(step, { serviceUrl, ownerUrl }), externalUrl);
  return { name: 'database', serviceUrl, ownerUrl };
}

async function startEmbedded({ step, options, secrets, port }) {
  const { startPostgres } = await import('./postgres/start-postgres.mjs');
  const dir = path.join(options.data, 'postgres');
  const password = secrets.ownerPassword;
  const server = await step('start PostgreSQL', () => startPostgres({ dir, password, port }));
  const ownerUrl = server.url(DATABASE_NAME);
  const serviceUrl = roleUrl(ownerUrl, DATABASE_NAME, secrets.servicePassword);
  try {
    await migrateIfNeeded(step, { serviceUrl, ownerUrl, exact: true });
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { name: 'database', serviceUrl, ownerUrl, stop: server.stop, exited: server.exited };
}

// A role belongs to all databases of a server, so two deployments on one server need different names.
const nameIn = (url) => new URL(url).pathname.slice(1);
const roleUrl = (ownerUrl, username, password) => Object.assign(new URL(ownerUrl), { username, password }).href;

async function migrateIfNeeded(step, { serviceUrl, ownerUrl, exact }) {
  const { isMigrated, makeLogPartitions, migrateDatabase } = await import('./postgres/migrate-database.mjs');
  const { prepareDatabase } = await import('./postgres/prepare-database.mjs');
  if (await isMigrated(ownerUrl ?? serviceUrl, { exact })) return makeLogPartitions(ownerUrl ?? serviceUrl);
  if (!ownerUrl)
    throw new UserError('The database is not migrated: set MIGRATION_DATABASE_URL to the address of its owner.');
  await step('migrate the database', async () => {
    await prepareDatabase({ serviceUrl, ownerUrl });
    await migrateDatabase({ serviceUrl, ownerUrl });
  });
}

const UNREACHABLE = /ECONNREFUSED|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|28P01|28000|3D000/;

async function explainUnreachable(work, url) {
  try {
    await work();
  } catch (error) {
    if (!UNREACHABLE.test(error.code)) throw error;
    throw new UserError(`The database at ${new URL(url).host} does not let us in: ${error.message || error.code}.`);
  }
}

const PORT_NAMES = ['postgres', 'stripe', 'acuity', 'inbox', 'smtp'];
const PORT_TIMEOUT_MS = 3000;

/**
 * Returns the ports of the last start if they are still free, so that open tabs keep working. The service listens on its
 * own port last, so that none of these may be the same.
 */
async function choosePorts({ data, port }) {
  const file = path.join(data, 'ports.json');
  const last = readJson(file);
  const ports = Object.fromEntries(
    await Promise.all(PORT_NAMES.map(async (name) => [name, await freePort(last[name], port)])),
  );
  writeJson(file, ports);
  return ports;
}

const PORT_ERRORS = {
  EADDRINUSE: (port) => `Port ${port} is in use: choose another with --port or PORT.`,
  EACCES: (port) => `Port ${port} is only for root: choose one above 1023 with --port or PORT.`,
  EADDRNOTAVAIL: (_port, host) => `${host} is not an address of this machine: choose another with --host or HOST.`,
};

/** The service of a killed launcher may still be stopping, so the port is retried for a while. */
async function requirePort(port, host) {
  const deadline = performance.now() + PORT_TIMEOUT_MS;
  for (;;) {
    const { errorCode } = await tryPort(port, host);
    if (!errorCode) return;
    if (errorCode !== 'EADDRINUSE' || performance.now() > deadline)
      throw new UserError(
        PORT_ERRORS[errorCode]?.(port, host) ?? `The service cannot listen on ${host}, port ${port}: ${errorCode}.`,
      );
    await sleep(100);
  }
}

/** Runs `npm start` with its arguments; resolves when everything is ready. */
export async function launch(args) {
  const shutdown = createShutdown();
  try {
    const options = readOptions(args, process.env);
    if (options) await start(options, shutdown);
    else await shutdown.stop(0);
  } catch (error) {
    if (!shutdown.isStopping()) console.error(`\n${error instanceof UserError ? error.message : error.stack}`);
    await shutdown.stop(1);
  }
}

async function start(options, shutdown) {
  const { step, total } = createProgress();
  shutdown.atEnd(await openDataFolder(options));
  await requirePort(options.port, options.host);
  const ports = await choosePorts(options);
  const secrets = loadSecrets(options.data);
  const settings = createSettings({ env: process.env, options, ports, secrets });
  console.log(`Starting Carelane (${settings.service.CARELANE_ENV}) …`);

  await install(step, { tools: false });
  const opening = openDatabase({ step, options, settings, secrets, port: ports.postgres }).then(shutdown.add);
  const generated = generateClient(step);
  // The longest step, so it starts as early as it can.
  const pages = generated.then(() => options.dev || buildPages(step));
  const bundled = generated.then(() => bundle(step));
  const emulating = bundled.then(() => startEmulators({ step, options, ports, settings })).then(shutdown.add);
  const typed = bundled.then(() => generateClientTypes(step));
  const seeding = Promise.all([opening, emulating]).then(([database]) => seed({ step, options, settings, database }));
  const packing = typed.then(() => settings.production || packPackages(step));
  const [database, seeded] = await Promise.all([opening, seeding, pages, packing]);

  shutdown.add(await startService({ step, options, settings, database }));
  const card = makeCard({
    publicUrl: settings.service.PUBLIC_URL,
    production: settings.production,
    seeded,
    emulators: settings.emulatorUrls,
    keys: settings.emulators,
    servesPackages: !settings.production,
  });
  const cardFile = path.join(options.data, 'card.json');
  writeJson(cardFile, card);
  printCard(card, { cardFile: path.relative(process.cwd(), cardFile), total: total() });
}

/**
 * Seeds a new sandbox, and again when its URL has changed, because the emulators have stored it.
 * @returns the part of the card that the seed wrote
 */
async function seed({ step, options, settings, database: { serviceUrl, ownerUrl } }) {
  if (!options.seed || settings.production) return {};
  const card = path.join(options.data, 'seed.json');
  const stamp = path.join(options.data, 'seeded.json');
  const { PUBLIC_URL } = settings.service;
  const key = createHash('sha256')
    .update(`${PUBLIC_URL}\n${new URL(serviceUrl).pathname}`)
    .digest('hex');
  if (existsSync(card) && readJson(stamp).key === key) return readJson(card);
  rmSync(stamp, { force: true });
  const env = { ...settings.service, ...settings.seed, DATABASE_URL: serviceUrl, SEED_CARD: card };
  if (ownerUrl) env.MIGRATION_DATABASE_URL = ownerUrl;
  await step('seed a small clinic', () => runNode(path.join(buildFolder, 'seed.mjs'), [], env));
  writeJson(stamp, { key });
  return readJson(card);
}
