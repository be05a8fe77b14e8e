import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const DEBOUNCE_MS = 100;
/**
 * Minimum wait between two writes as a multiple of the last write's
 * duration, so that writing takes at most a tenth of the time.
 */
const REST = 10;

export interface Store<T> {
  value: T;
  /** Marks `value` as changed. It is written within about 100 ms, a large state later. */
  changed(): void;
  flush(): void;
}

/**
 * Opens one JSON document stored in `file` (in memory when
 * undefined). The write is atomic: temporary file, then rename.
 */
export function openStore<T>(file: string | undefined, initial: () => T): Store<T> {
  let timer: NodeJS.Timeout | undefined;
  let waitMs = DEBOUNCE_MS;
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    if (!file) return;
    const begun = performance.now();
    mkdirSync(dirname(file), { recursive: true });
    // Mode 600: the state contains patients' names and secrets.
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
