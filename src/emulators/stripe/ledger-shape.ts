import type { World } from '../core/world.ts';
import type { StripeObject } from './objects.ts';
import type { StripeEmulatorOptions } from './options.ts';
import type { AccountData, Collections, Kind, StripeState } from './state.ts';

/** The request that caused a change; null for automatic changes (renewals, expiries). */
export interface Cause {
  requestId: string;
  idempotencyKey: string | null;
}

/** One account's objects, with Stripe's time and event log. */
export interface Ledger {
  accountId: string;
  data: AccountData;
  options: StripeEmulatorOptions;
  world: World<StripeState>;
  cause: Cause | null;
  /** Seconds since 1970: the customer's test clock if there is one, else the emulator's clock; or a fixed instant. */
  now(customer?: string | null): number;
  /**
   * Returns the object.
   * @throws Refusal Stripe's "No such …" naming `param` (404 for the path's own `id`, else 400)
   */
  find<K extends Kind>(kind: K, id: string, param: string): Collections[K];
  all<K extends Kind>(kind: K): Collections[K][];
  put<K extends Kind>(kind: K, object: Collections[K]): Collections[K];
  emit(type: string, object: StripeObject, previous?: Record<string, unknown>): void;
  /** Changes an object; emits `type` with `previous_attributes` when a visible field changed. */
  change<T extends StripeObject>(type: string, object: T, mutate: (object: T) => void): T;
}
