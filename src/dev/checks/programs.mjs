import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runCommand } from '../../launcher/run-command.mjs';
import { UserError } from '../../launcher/user-error.mjs';

/**
 * Programs that tests need in addition to npm packages. `setting` is the environment variable with the program's path;
 * a value set by the developer takes precedence.
 * @type {Record<string, { title: string, names: string[], setting: string, debian: string, elsewhere?: string[], why: string }>}
 */
const PROGRAMS = {
  chromium: {
    title: 'Chromium',
    // The headless shell has no window and needs fewer resources.
    names: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    elsewhere: ['Chromium', 'Google Chrome'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`),
    setting: 'CHROMIUM_PATH',
    debian: 'chromium-headless-shell',
    why: 'The browser journeys',
  },
  firefox: {
    title: 'Firefox',
    names: ['firefox-esr', 'firefox'],
    elsewhere: ['/Applications/Firefox.app/Contents/MacOS/firefox'],
    setting: 'FIREFOX_PATH',
    debian: 'firefox-esr',
    why: 'The video calls between two kinds of browsers',
  },
  pgbouncer: {
    title: 'PgBouncer',
    names: ['pgbouncer'],
    setting: 'PGBOUNCER_PATH',
    debian: 'pgbouncer',
    why: 'The tests behind a pooler',
  },
  coturn: {
    title: 'coturn',
    names: ['turnserver'],
    setting: 'COTURN_PATH',
    debian: 'coturn',
    why: 'The tests of relayed video calls',
  },
  ...Object.fromEntries(
    // The shell samples of the guides run as printed.
    ['curl', 'jq', 'python3'].map((name) => [
      name,
      {
        title: name,
        names: [name],
        setting: `${name.toUpperCase()}_PATH`,
        debian: name,
        why: 'The tests of the docs’ samples',
      },
    ]),
  ),
};

/** The programs that `npm test` needs; `npm run prove` needs Firefox too. */
export const TEST_PROGRAMS = Object.keys(PROGRAMS).filter((name) => name !== 'firefox');
export const PROVE_PROGRAMS = Object.keys(PROGRAMS);

/** Daemons are installed in folders that may not be in a user's PATH. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

const isDebian = () => existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));

/**
 * Finds programs and sets the environment variables with their paths. On Debian, root installs missing ones.
 * @param {string[]} names keys of PROGRAMS
 * @throws {UserError} with what to install
 */
export async function findPrograms(step, names) {
  const programs = names.map((name) => PROGRAMS[name]);
  const missing = programs.filter((program) => !installed(program));
  if (missing.length > 0 && isDebian() && process.getuid() === 0) await installFromDebian(step, missing);
  for (const program of programs) {
    const { title, debian, setting, why } = program;
    const file = installed(program);
    if (!file)
      throw new UserError(`${why} need ${title}: install it (Debian: apt-get install ${debian}), or set ${setting}.`);
    process.env[setting] = file;
  }
}

/** @returns {Promise<string>} the path of Chromium */
export async function findChromium(step) {
  await findPrograms(step, ['chromium']);
  return process.env.CHROMIUM_PATH;
}

async function installFromDebian(step, missing) {
  // RUNLEVEL: the system must not start a service that is installed for the tests.
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  await step(`install ${missing.map(({ title }) => title).join(', ')}`, async () => {
    // With an incomplete package list apt could install an older version.
    await retryWhileLocked(() => runCommand('apt-get', ['update', '-o', 'APT::Update::Error-Mode=any'], env)).catch(
      () => runCommand('apt-get', ['update'], env),
    );
    const packages = missing.map(({ debian }) => debian);
    await retryWhileLocked(() => runCommand('apt-get', ['install', '-y', '--no-install-recommends', ...packages], env));
  });
}

const MAX_ATTEMPTS = 12;
const PAUSE_MS = 5000;
/** A new machine may be installing updates automatically and hold apt's lock. */
async function retryWhileLocked(work) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !/could not get lock|failed to fetch/i.test(error.message)) throw error;
      await pause(PAUSE_MS);
    }
  }
}

function installed({ names, setting, elsewhere = [] }) {
  const configured = process.env[setting];
  if (configured && !existsSync(configured))
    throw new UserError(`${setting} is ${configured}, where there is nothing.`);
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...SYSTEM_FOLDERS];
  const places = [
    configured,
    ...names.flatMap((name) => folders.map((folder) => path.join(folder, name))),
    ...elsewhere,
  ];
  return places.find((place) => place && existsSync(place));
}
