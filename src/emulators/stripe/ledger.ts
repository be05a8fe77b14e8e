import type { World } from '../core/route.ts';
import { createEvent } from './events.ts';
import type { StripeEmulatorOptions } from './options.ts';
import { type AccountData, accountData, type Cause, type Ledger, type StripeState, withAllKinds } from './state.ts';
import { noSuch } from './wire/errors.ts';
import { present } from './wire/present.ts';

export type { Cause, Ledger };

export function openLedger(
  world: World<StripeState>,
  options: StripeEmulatorOptions,
  accountId: string,
  cause: Cause | null = null,
  at?: number,
): Ledger {
  return ledgerOn(withAllKinds(accountData(world.state, accountId)), { accountId, options, world, cause }, at);
}

/** Creates a ledger on these objects; with `scratch` it emits no events. */
export function ledgerOn(
  data: AccountData,
  { accountId, options, world, cause }: Pick<Ledger, 'accountId' | 'options' | 'world' | 'cause'>,
  at?: number,
  scratch = false,
): Ledger {
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
      // An id such as `toString` would find what every object inherits.
      if (!Object.hasOwn(data.objects[kind], id)) throw noSuch(kind, id, param);
      return data.objects[kind][id]!;
    },
    all: (kind) => Object.values(data.objects[kind]),
    put(kind, object) {
      const collection: Record<string, typeof object> = data.objects[kind];
      collection[object.id] = object;
      return object;
    },
    emit(type, object, previous) {
      if (!scratch) createEvent(ledger, type, object, previous);
    },
    change(type, object, mutate) {
      const before = present(object, data);
      mutate(object);
      const after = present(object, data);
      if (JSON.stringify(before) !== JSON.stringify(after)) ledger.emit(type, object, differences(before, after));
      return object;
    },
  };
  return ledger;
}

/** Returns the former values of changed fields, without fields that did not exist. */
function differences(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  const changed = Object.keys(before).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  return Object.fromEntries(changed.map((key) => [key, before[key] ?? null]));
}
