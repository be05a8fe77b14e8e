import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './root.mjs';
import { runNpm } from './run-command.mjs';

/**
 * Installs the packages of the lock file unless they are present, according to npm's list of installed packages.
 * @param {(name: string, work: () => Promise<unknown>) => Promise<unknown>} step
 * @param {{ tools: boolean }} options whether to include the packages for tests and checks
 */
export async function install(step, { tools }) {
  if (isInstalled(tools)) return;
  // Tools are added in place, because a running service may use the folder; anything else reinstalls everything.
  const command = tools && isInstalled(false) ? ['install', '--no-save'] : ['ci'];
  const args = [...command, '--no-audit', '--no-fund', tools ? '--include=dev' : '--omit=dev'];
  await step('install packages', () => runNpm(args));
}

function isInstalled(tools) {
  const expected = packagesIn('package-lock.json');
  const installed = packagesIn('node_modules/.package-lock.json');
  return Object.entries(expected).every(([location, { version, optional, dev }]) => {
    // Workspaces are links to the checkout, so they match at any version.
    if (!location.includes('node_modules/') || optional || (dev && !tools)) return true;
    return location in installed && installed[location].version === version;
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
