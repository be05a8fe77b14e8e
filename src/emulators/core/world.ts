import type { Clock } from './clock.ts';
import type { WebhookSender } from './webhooks.ts';

/** What handlers, controls and clock moves work on. */
export interface World<State> {
  /** The emulator's data: plain JSON, changed in place. A reset replaces it, so never keep it across calls. */
  state: State;
  clock: Clock;
  webhooks: WebhookSender;
  /** What goes wrong on purpose; see `faults.ts`. */
  faults: {
    add(input: unknown): unknown;
    list(): { id: string; match: { method?: string; path?: string }; kind: string; times: number }[];
    clear(): void;
  };
  /** Where this emulator listens, e.g. `http://127.0.0.1:12111`. */
  baseUrl: string;
  /** One line for the person who watches the emulator. */
  log(line: string): void;
}
