import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 5000;

/**
 * A server whose launcher was killed is still ending, for about a second: wait for it. A lock whose number now belongs
 * to some other program (a restarted container counts its processes from one) is taken away.
 */
export async function waitForLock(data) {
  const lock = path.join(data, 'postmaster.pid');
  const deadline = performance.now() + PATIENCE_MS;
  while (existsSync(lock) && performance.now() < deadline) {
    const program = programOf(Number.parseInt(readFileSync(lock, 'utf8'), 10));
    if (program === null) return; // PostgreSQL itself sees that the owner is gone
    if (program !== '' && !program.includes('postgres')) return rmSync(lock);
    await sleep(100);
  }
}

/** @returns {string | null} the command line, '' when the system does not tell, null when there is no such process */
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
