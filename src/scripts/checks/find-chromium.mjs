import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from '../run-command.mjs';
import { Sentence } from '../sentence.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC = ['Chromium', 'Google Chrome'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);

function installed() {
  const given = process.env.CHROMIUM_PATH;
  if (given && !existsSync(given)) throw new Sentence(`CHROMIUM_PATH is ${given}, where there is nothing.`);
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const places = [given, ...NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))), ...MAC];
  return places.find((place) => place && existsSync(place));
}

const isDebian = () => existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));

/**
 * @returns {Promise<string>} the path of a Chromium, which Debian's root may have had to install first
 * @throws {Sentence} with what to install
 */
export async function findChromium(step) {
  const found = installed();
  if (found) return found;
  if (isDebian() && process.getuid() === 0) {
    const quietly = { DEBIAN_FRONTEND: 'noninteractive' };
    await step('install Chromium', async () => {
      await runCommand('apt-get', ['update'], quietly);
      await runCommand('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], quietly);
    });
    const fresh = installed();
    if (fresh) return fresh;
  }
  throw new Sentence(
    'The browser journeys need Chromium: install it (Debian: apt-get install chromium), or set CHROMIUM_PATH.',
  );
}
