import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runCommand } from '../run-command.mjs';
import { Sentence } from '../sentence.mjs';

/** Daemons stand where a user's PATH may not lead. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

const isDebian = () => existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));

/**
 * @param {{ title: string, names: string[], setting: string, debian: string, elsewhere?: string[], why: string }} program
 * `setting` names the environment's variable for its path, `debian` the package
 * @returns {Promise<string>} its path; Debian's root may have had to install it first
 * @throws {Sentence} with what to install
 */
export async function findProgram(step, program) {
  const { title, debian, setting, why } = program;
  const found = installed(program);
  if (found) return found;
  if (isDebian() && process.getuid() === 0) {
    // A service that is installed for the tests is not to be started by the system.
    const quietly = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    await step(`install ${title}`, async () => {
      // Where one list fails to come, an older program would pass for the newest.
      await patiently(() => runCommand('apt-get', ['update', '-o', 'APT::Update::Error-Mode=any'], quietly)).catch(() =>
        runCommand('apt-get', ['update'], quietly),
      );
      await patiently(() => runCommand('apt-get', ['install', '-y', '--no-install-recommends', debian], quietly));
    });
    const fresh = installed(program);
    if (fresh) return fresh;
  }
  throw new Sentence(`${why} need ${title}: install it (Debian: apt-get install ${debian}), or set ${setting}.`);
}

const TRIES = 12;
const PAUSE_MS = 5000;
/** Somebody else may be installing something meanwhile, as a machine does by itself when it is new. */
async function patiently(install) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await install();
    } catch (error) {
      if (tries === TRIES || !/could not get lock|failed to fetch/i.test(error.message)) throw error;
      await pause(PAUSE_MS);
    }
  }
}

function installed({ names, setting, elsewhere = [] }) {
  const given = process.env[setting];
  if (given && !existsSync(given)) throw new Sentence(`${setting} is ${given}, where there is nothing.`);
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...SYSTEM_FOLDERS];
  const places = [given, ...names.flatMap((name) => folders.map((folder) => path.join(folder, name))), ...elsewhere];
  return places.find((place) => place && existsSync(place));
}
