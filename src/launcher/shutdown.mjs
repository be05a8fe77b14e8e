import { readFileSync } from 'node:fs';

const PARENT_CHECK_MS = 250;

/**
 * Stops everything that was started, in reverse order: on Ctrl-C, on request, when a process ends unexpectedly or when
 * npm was killed.
 */
export function createShutdown() {
  const parts = [];
  const lastly = [];
  let stopping = false;

  async function stop(code) {
    if (stopping) return;
    stopping = true;
    for (const part of parts.reverse()) await part.stop?.();
    for (const work of lastly) work();
    process.exit(code);
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      if (stopping) process.exit(1); // a second signal: the processes end with this one
      stop(0);
    });
  stopWithNpm(stop);

  return {
    stop,
    isStopping: () => stopping,
    /** Adds work to run after all processes have ended. */
    atEnd: (work) => void lastly.push(work),
    /** Adds a process of the deployment; its end stops everything. */
    add(part) {
      parts.push(part);
      part.exited?.then((code) => {
        if (stopping) return;
        console.error(`\nThe ${part.name} ended by itself (${code}); see its log in the data folder.`);
        stop(1);
      });
      return part;
    },
  };
}

/** A killed npm leaves its script running, which would occupy the port of the next start. */
function stopWithNpm(stop) {
  if (!process.env.npm_lifecycle_event) return;
  const npm = parentOfShell(process.ppid) ?? process.ppid;
  setInterval(() => isGone(npm) && stop(0), PARENT_CHECK_MS).unref();
}

/**
 * Most shells stay between npm and its script; Linux exposes the parent.
 * @returns null when the process is no shell, or the system does not expose it
 */
function parentOfShell(pid) {
  try {
    // proc(5): pid (command) state ppid …
    const [, command, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').match(/\((.*)\) \S+ (\d+)/);
    return /^(ba|da|z|k|a)?sh$/.test(command) ? Number(parent) : null;
  } catch {
    return null;
  }
}

function isGone(pid) {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}
