import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const DEBOUNCE_MS = 100;
/** A state that takes long to write is written less often, so that keeping it never takes more than a tenth of the time. */
const REST = 10;

export interface Store<T> {
  value: T;
  /** Says that `value` was changed; it reaches the disk within about 100 ms, a large state later. */
  changed(): void;
  flush(): void;
}

/** One JSON document kept in `file` (in memory when there is none), always whole on disk: written aside, then renamed. */
export function openStore<T>(file: string | undefined, initial: () => T): Store<T> {
  let timer: NodeJS.Timeout | undefined;
  let waitMs = DEBOUNCE_MS;
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    if (!file) return;
    const begun = performance.now();
    mkdirSync(dirname(file), { recursive: true });
    // Patients' names and live secrets are in it.
    writeFileSync(`${file}.new`, JSON.stringify(store.value), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    waitMs = Math.max(DEBOUNCE_MS, REST * (performance.now() - begun));
  };
  const store: Store<T> = {
    value: read<T>(file) ?? initial(),
    changed() {
      if (file) timer ??= setTimeout(write, waitMs);
    },
    flush() {
      if (timer) write();
    },
  };
  return store;
}

function read<T>(file: string | undefined): T | undefined {
  if (!file) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`Cannot read the emulator's data in ${file}`, { cause: error });
  }
}
