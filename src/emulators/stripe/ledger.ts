import type { World } from '../core/world.ts';
import { createEvent } from './events.ts';
import type { StripeObject } from './objects.ts';
import type { StripeEmulatorOptions } from './options.ts';
import type { AccountData, Collections, Kind, StripeState } from './state.ts';
import { noSuch } from './wire/errors.ts';
import { present } from './wire/present.ts';

/** Whose request caused a change; null for what happens by itself (renewals, expiries). */
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
  /** Seconds since 1970: of the customer's test clock if it has one, else of the emulator, else a fixed instant. */
  now(customer?: string | null): number;
  /** The object, or Stripe's "No such …" naming `param` (404 for the path's own `id`, else 400). */
  find<K extends Kind>(kind: K, id: string, param: string): Collections[K];
  all<K extends Kind>(kind: K): Collections[K][];
  put<K extends Kind>(kind: K, object: Collections[K]): Collections[K];
  emit(type: string, object: StripeObject, previous?: Record<string, unknown>): void;
  /** Changes an object; emits `type` with `previous_attributes` when anything visible changed. */
  change<T extends StripeObject>(type: string, object: T, mutate: (object: T) => void): T;
}

export function openLedger(
  world: World<StripeState>,
  options: StripeEmulatorOptions,
  accountId: string,
  cause: Cause | null = null,
  at?: number,
): Ledger {
  const data = world.state.accounts[accountId]!;
  const ledger: Ledger = {
    accountId,
    data,
    options,
    world,
    cause,
    now(customer) {
      const clock = customer && data.objects.customer[customer]?.test_clock;
      return at ?? (clock ? data.objects.test_clock[clock]?.frozen_time : undefined) ?? world.clock.nowSeconds();
    },
    find(kind, id, param) {
      const found = data.objects[kind][id];
      if (!found) throw noSuch(kind, id, param);
      return found;
    },
    all: (kind) => Object.values(data.objects[kind]),
    put(kind, object) {
      const collection: Record<string, typeof object> = data.objects[kind];
      collection[object.id] = object;
      return object;
    },
    emit: (type, object, previous) => createEvent(ledger, type, object, previous),
    change(type, object, mutate) {
      const before = present(object, data);
      mutate(object);
      const previous = differences(before, present(object, data));
      if (Object.keys(previous).length > 0) ledger.emit(type, object, previous);
      return object;
    },
  };
  return ledger;
}

function differences(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  const changed = Object.keys(after).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  return Object.fromEntries(changed.map((key) => [key, before[key] ?? null]));
}
