import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { buildFolder, root } from './root.mjs';
import { runNode, runNpm } from './run-command.mjs';
import { digest, runOnce } from './stamps.mjs';

/** The packages that a sandbox serves: file name and source folder. */
const PACKAGES = { 'carelane-auth-sdk': 'src/sdk', 'carelane-client': 'src/client' };

export const packagesFolder = path.join(buildFolder, 'packages');

/** Packs the packages, unless their sources are unchanged. */
export const packPackages = (step) =>
  runOnce('packages', { key: digest(SOURCES, NOT_PACKED), output: '.run/packages/carelane-client.tgz' }, () =>
    step('pack the packages', () => packInto(packagesFolder)),
  );

const SOURCES = ['src/sdk', 'src/client', 'src/contract', 'src/launcher/package', 'package-lock.json'];
const NOT_PACKED = /\/(node_modules|dist|generated|testing)\/|\.test\.ts$/;

/** Packs each package without a version in its name, because it matches the service that serves it. */
export async function packInto(folder) {
  mkdirSync(folder, { recursive: true });
  for (const [name, source] of Object.entries(PACKAGES)) {
    // Run directly, because npm may be configured to ignore scripts.
    await runNode(path.join(root, source, 'build.mjs'), []);
    await runNpm(['pack', `./${source}`, '--ignore-scripts', '--pack-destination', folder]);
    const { version } = JSON.parse(readFileSync(path.join(root, source, 'package.json'), 'utf8'));
    renameSync(path.join(folder, `${name}-${version}.tgz`), path.join(folder, `${name}.tgz`));
  }
}
