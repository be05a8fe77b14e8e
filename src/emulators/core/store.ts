import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const DEBOUNCE_MS = 100;

export interface Store<T> {
  value: T;
  /** Says that `value` was changed; it reaches the disk within about 100 ms. */
  changed(): void;
  flush(): void;
}

/** One JSON document kept in `file` (in memory when there is none), always whole on disk: written aside, then renamed. */
export function openStore<T>(file: string | undefined, initial: () => T): Store<T> {
  let timer: NodeJS.Timeout | undefined;
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    if (!file) return;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, JSON.stringify(store.value));
    renameSync(`${file}.new`, file);
  };
  const store: Store<T> = {
    value: read<T>(file) ?? initial(),
    changed() {
      if (file) timer ??= setTimeout(write, DEBOUNCE_MS);
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
