import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './root.mjs';
import { runNpm } from './run-command.mjs';

/**
 * Installs the packages of the lock file, unless they are there: npm keeps a list of what it installed.
 * @param {(name: string, work: () => Promise<unknown>) => Promise<unknown>} step
 * @param {{ tools: boolean }} options whether the packages for tests and checks are wanted too
 */
export async function install(step, { tools }) {
  if (isInstalled(tools)) return;
  // Tools are added to what a service may be running from; anything else begins anew.
  const way = tools && isInstalled(false) ? ['install', '--no-save'] : ['ci'];
  const args = [...way, '--no-audit', '--no-fund', tools ? '--include=dev' : '--omit=dev'];
  await step('install packages', () => runNpm(args));
}

function isInstalled(tools) {
  const wanted = packagesIn('package-lock.json');
  const found = packagesIn('node_modules/.package-lock.json');
  return Object.entries(wanted).every(([place, { version, optional, dev }]) => {
    // Our own workspaces are links to what is checked out, whatever version it says.
    if (!place.includes('node_modules/') || optional || (dev && !tools)) return true;
    return place in found && found[place].version === version;
  });
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(path.join(root, file), 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}
