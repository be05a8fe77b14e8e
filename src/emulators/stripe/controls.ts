import type { Control } from '../core/controls.ts';
import { sendEvent, targetsOf } from './events.ts';
import { newId } from './ids.ts';
import { openLedger } from './ledger.ts';
import type { StripeEvent } from './objects.ts';
import type { StripeEmulatorOptions } from './options.ts';
import { completeOnboarding, restrictAccount } from './resources/accounts.ts';
import { finishAuthentication, type Outcome } from './resources/authentications.ts';
import type { StripeState } from './state.ts';
import { present } from './wire/present.ts';

/**
 * Triggers of the Stripe emulator (`POST /_emulator/trigger`); `account` is the platform's own when absent.
 *
 * - `{"name": "complete_onboarding", "account"}` the holder finishes onboarding
 * - `{"name": "complete_authentication", "intent", "outcome"?: "succeeded"|"failed", "account"?}` 3-D Secure
 * - `{"name": "resend_events", "events"?: [ids], "order"?: "given"|"reverse"|"shuffle", "copies"?: n, "account"?}`
 *   sends recorded events again, all of the account when none are named
 * - `{"name": "restrict", "account"}` charges are disabled until onboarding is completed again
 * - `{"name": "deauthorize", "account"}` the platform loses its access, told by `account.application.deauthorized`
 */
export function stripeControls(options: StripeEmulatorOptions): Record<string, Control<StripeState>> {
  const accountIn = (state: StripeState, account: unknown = state.platform): string => {
    if (typeof account !== 'string' || !Object.hasOwn(state.accounts, account)) {
      throw new TypeError(`No account ${String(account)}`);
    }
    return account;
  };
  return {
    complete_onboarding: ({ account }, world) => {
      const id = accountIn(world.state, account);
      return present(completeOnboarding(world, options, id), world.state.accounts[id]!);
    },

    complete_authentication: ({ account, intent: id, outcome = 'succeeded' }, world) => {
      const ledger = openLedger(world, options, accountIn(world.state, account));
      const { payment_intent, setup_intent } = ledger.data.objects;
      const intent = payment_intent[String(id)] ?? setup_intent[String(id)];
      if (intent?.status !== 'requires_action') throw new TypeError(`${String(id)} waits for no authentication`);
      if (outcome !== 'succeeded' && outcome !== 'failed') throw new TypeError('outcome is succeeded or failed');
      finishAuthentication(ledger, intent, outcome satisfies Outcome);
      return present(intent, ledger.data);
    },

    resend_events: ({ account, copies = 1, events: ids, order = 'given' }, world) => {
      const ledger = openLedger(world, options, accountIn(world.state, account));
      if (typeof copies !== 'number' || copies < 1 || copies > 100) throw new TypeError('copies is 1 to 100');
      const recorded = ledger.data.objects.event;
      const wanted = Array.isArray(ids) ? ids.map(String) : Object.keys(recorded);
      const missing = wanted.filter((id) => !recorded[id]);
      if (missing.length > 0) throw new TypeError(`No events ${missing.join(', ')}`);
      const sent = ordered(Array.from({ length: copies }, () => wanted).flat(), order);
      for (const id of sent) {
        const event = recorded[id]!;
        for (const target of targetsOf(ledger, event.type)) sendEvent(ledger, event, target);
      }
      return { sent };
    },

    restrict: ({ account }, world) => {
      const id = accountIn(world.state, account);
      return present(restrictAccount(world, options, id), world.state.accounts[id]!);
    },

    deauthorize: ({ account }, world) => {
      const id = accountIn(world.state, account);
      if (id === world.state.platform) throw new TypeError('Only connected accounts can be deauthorized');
      const ledger = openLedger(world, options, id);
      ledger.data.account._deauthorized = true;
      const application = { id: newId('ca'), object: 'application', created: ledger.now(), name: null };
      ledger.emit('account.application.deauthorized', application as unknown as StripeEvent);
      return { deauthorized: id };
    },
  };
}

function ordered(ids: string[], order: unknown): string[] {
  if (order === 'given') return ids;
  if (order === 'reverse') return ids.toReversed();
  if (order !== 'shuffle') throw new TypeError('order is given, reverse or shuffle');
  return ids
    .map((id) => ({ id, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ id }) => id);
}
