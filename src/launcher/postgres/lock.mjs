import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 5000;

/**
 * Waits for a server whose launcher was killed, which takes about one second to stop. A lock file whose process id now
 * belongs to another program (a restarted container reuses low ids) is removed.
 */
export async function waitForLock(data) {
  const lock = path.join(data, 'postmaster.pid');
  const deadline = performance.now() + PATIENCE_MS;
  while (existsSync(lock) && performance.now() < deadline) {
    const program = programOf(Number.parseInt(readFileSync(lock, 'utf8'), 10));
    if (program === null) return; // PostgreSQL itself detects a stale lock
    if (program !== '' && !program.includes('postgres')) return rmSync(lock);
    await sleep(100);
  }
}

/**
 * @returns {string | null} the command line, '' if the system does not expose it, null if the process does not exist
 */
function programOf(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code === 'ESRCH') return null;
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
