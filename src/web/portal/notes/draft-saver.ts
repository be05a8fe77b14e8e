/**
 * `none`: there is nothing to store; `waiting`: for a pause in typing; `failed`: not stored, and repeated with the next
 * change or call of `flush`.
 */
export type DraftState = 'none' | 'waiting' | 'saving' | 'stored' | 'failed';

const PAUSE_MS = 1_500;

type Options = {
  /** Rejects when the text could not be stored. */
  store: (text: string) => Promise<unknown>;
  onState: (state: DraftState, error?: unknown) => void;
};

export type DraftSaver = ReturnType<typeof createDraftSaver>;

/**
 * Stores a text after a pause in typing, one call at a time.
 * @param stored the text that needs no storing
 */
export function createDraftSaver(stored: string, { store, onState }: Options) {
  let latest = stored;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | null = null;
  let hasFailed = false;
  let isHeld = false;

  async function send(text: string): Promise<void> {
    onState('saving');
    try {
      await store(text);
      stored = text;
      hasFailed = false;
      onState(latest === stored ? 'stored' : 'waiting');
    } catch (error) {
      hasFailed = true;
      onState('failed', error);
    }
    running = null;
  }

  /** Stores the latest text now. */
  async function flush(): Promise<void> {
    clearTimeout(timer);
    while (running) await running;
    if (isHeld || latest === stored) return;
    running = send(latest);
    await running;
  }

  return {
    flush,
    stored: () => stored,
    change(text: string): void {
      latest = text;
      isHeld = false;
      clearTimeout(timer);
      if (!running && latest === stored) {
        hasFailed = false;
        onState('stored');
        return;
      }
      timer = setTimeout(() => void flush(), PAUSE_MS);
      // A failure stays visible until the text is stored.
      if (!hasFailed) onState('waiting');
    },
    /** Stores nothing until the next change or `release`; resolves once a running call has ended. */
    async hold(): Promise<void> {
      isHeld = true;
      clearTimeout(timer);
      while (running) await running;
    },
    release(): Promise<void> {
      isHeld = false;
      return flush();
    },
  };
}
