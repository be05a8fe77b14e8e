import type { Clock } from './clock.ts';
import type { WebhookSender } from './webhooks.ts';

/** What handlers, controls and clock moves work on. */
export interface World<State> {
  /** The emulator's data: plain JSON, changed in place. A reset replaces it, so never keep it across calls. */
  state: State;
  clock: Clock;
  webhooks: WebhookSender;
  /** Where this emulator listens, e.g. `http://127.0.0.1:12111`. */
  baseUrl: string;
  /** One line for the person who watches the emulator. */
  log(line: string): void;
}
