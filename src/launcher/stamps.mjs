import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildFolder, root } from './root.mjs';

/**
 * @param {string[]} paths files and folders, relative to the project's root; missing ones are skipped
 * @param {RegExp} [except] paths to ignore
 * @returns {string} a hash of their names and contents
 */
export function digest(paths, except) {
  const hash = createHash('sha256');
  const add = (file, content) => except?.test(file) || hash.update(`${file}\0`).update(content);
  for (const location of paths) {
    const absolute = path.join(root, location);
    if (!existsSync(absolute)) continue;
    const entries = readdirSyncIfFolder(absolute);
    if (entries === null) add(location, readFileSync(absolute));
    else for (const entry of entries) add(path.join(location, entry), readFileSync(path.join(absolute, entry)));
  }
  return hash.digest('hex');
}

function readdirSyncIfFolder(folder) {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .sort();
  } catch (error) {
    if (error.code === 'ENOTDIR') return null;
    throw error;
  }
}

/** Runs work unless it was done for the same key, and its result still exists. */
export async function runOnce(name, { key, output }, work) {
  const stamp = path.join(buildFolder, `${name}.stamp`);
  if (existsSync(path.join(root, output)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return;
  rmSync(stamp, { force: true });
  await work();
  mkdirSync(buildFolder, { recursive: true });
  writeFileSync(stamp, key);
}
