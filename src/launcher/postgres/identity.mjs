import { spawnSync } from 'node:child_process';
import { chownSync, lchownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../user-error.mjs';

const UNPRIVILEGED = 65534;
const ROOT = { uid: 0, gid: 0 };

/**
 * A way to run PostgreSQL, which refuses to run as root: a command prefix, the ids to spawn it with, and the owner that
 * its folder must have.
 * @typedef {{ prefix: string[], ids: { uid?: number, gid?: number }, owner?: { uid: number, gid: number } }} Identity
 */

/** @returns {Identity[]} the ways available to root, the simplest first */
function waysForRoot() {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  // banned-words-ignore: the name of a Unix user
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  const owner = user && { uid: Number(user[2]), gid: Number(user[3]) };
  return [
    owner && { prefix: [], ids: owner, owner },
    // In a folder that other users cannot enter (a checkout under /root): root itself, mapped to another id in a user
    // namespace.
    { prefix: ['unshare', '-U', `--map-user=${UNPRIVILEGED}`, `--map-group=${UNPRIVILEGED}`], ids: {}, owner: ROOT },
    // In a container without namespaces: that user, with the capability to enter any folder.
    owner && { prefix: passClosedFolders(owner), ids: {}, owner },
  ].filter(Boolean);
}

function passClosedFolders({ uid, gid }) {
  const right = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...right];
}

/** Changes the owner of the folder to the user who runs PostgreSQL. */
function changeOwner(folder, { uid, gid }) {
  if (statSync(folder).uid === uid) return;
  for (const entry of readdirSync(folder, { recursive: true })) lchownSync(path.join(folder, entry), uid, gid);
  chownSync(folder, uid, gid);
}

/** Returns true if the program can run this way, next to the folder. */
function works({ prefix, ids }, folder, program) {
  const [command, ...args] = [...prefix, 'sh', '-c', 'cd "$1/.." && "$2" --version', 'sh', folder, program];
  return spawnSync(command, args, { ...ids, cwd: '/', stdio: 'ignore' }).status === 0;
}

/** @returns {Identity} the first way that can run the program in the folder */
export function identityFor(folder, program, ways = waysForRoot) {
  const own = process.getuid();
  if (own !== 0) {
    if (statSync(folder).uid === own) return { prefix: [], ids: {} };
    throw new UserError(`The folder ${folder} belongs to another user: give it back with chown, or use --data.`);
  }
  const way = ways().find((candidate) => works(candidate, folder, program));
  if (way) {
    changeOwner(folder, way.owner);
    return way;
  }
  throw new UserError(
    `PostgreSQL does not run as root, and no other user can reach ${folder}. Start as an ordinary user, or from a ` +
      'folder that others may enter.',
  );
}
