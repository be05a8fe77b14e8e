import type { Clock } from './clock.ts';
import type { WebhookSender } from './webhooks.ts';

/** The runtime that handlers, controls and clock moves receive. */
export interface World<State> {
  /**
   * The emulator's data: plain JSON, changed in place. A reset
   * replaces the object, so do not hold a reference across calls.
   */
  state: State;
  clock: Clock;
  webhooks: WebhookSender;
  /** Injected faults; see `faults.ts`. */
  faults: {
    add(input: unknown): unknown;
    list(): { id: string; match: { method?: string; path?: string }; kind: string; times: number }[];
    clear(): void;
  };
  /** The emulator's base URL, for example `http://127.0.0.1:12111`. */
  baseUrl: string;
  /** Writes one log line for the operator. */
  log(line: string): void;
}
