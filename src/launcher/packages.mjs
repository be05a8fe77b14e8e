import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { buildFolder, root } from './root.mjs';
import { runNode, runNpm } from './run-command.mjs';
import { digest, once } from './stamps.mjs';

/** What a sandbox serves to be installed: its file, and where it is made. */
const PACKAGES = { 'carelane-auth-sdk': 'src/sdk', 'carelane-client': 'src/client' };

export const packagesFolder = path.join(buildFolder, 'packages');

/** Once, and again when something in them has changed. */
export const packPackages = (step) =>
  once('packages', { key: digest(SOURCES, NOT_PACKED), makes: '.run/packages/carelane-client.tgz' }, () =>
    step('pack the packages', () => packInto(packagesFolder)),
  );

const SOURCES = ['src/sdk', 'src/client', 'src/contract', 'src/launcher/package', 'package-lock.json'];
const NOT_PACKED = /\/(node_modules|dist|generated|testing)\/|\.test\.ts$/;

/** Each under a name without a version, for it fits the service that serves it. */
export async function packInto(folder) {
  mkdirSync(folder, { recursive: true });
  for (const [name, source] of Object.entries(PACKAGES)) {
    // By ourselves: npm may have been told to run no scripts.
    await runNode(path.join(root, source, 'build.mjs'), []);
    await runNpm(['pack', `./${source}`, '--ignore-scripts', '--pack-destination', folder]);
    const { version } = JSON.parse(readFileSync(path.join(root, source, 'package.json'), 'utf8'));
    renameSync(path.join(folder, `${name}-${version}.tgz`), path.join(folder, `${name}.tgz`));
  }
}
