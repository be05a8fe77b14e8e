import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { explain } from './explain.mjs';

export const OWNER = 'postgres';
export const LOCALE = process.platform === 'linux' ? 'C.UTF-8' : 'en_US.UTF-8';

/**
 * Creates a cluster in `dir`, unless one exists. It is renamed last, so an interrupted start leaves no partial cluster.
 * @returns {string} the cluster's folder
 */
export function initialise({ dir, password, durable, identity, initdb }) {
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
