import type { Control } from '../core/controls.ts';
import { closeDispute, isClosed, openDispute } from './billing/disputes.ts';
import { readDropping } from './dropped-webhooks.ts';
import { secretOf, sendEvent, targetsOf } from './events.ts';
import { newId, randomText } from './ids.ts';
import { openLedger } from './ledger.ts';
import type { StripeEvent } from './objects.ts';
import type { StripeEmulatorOptions } from './options.ts';
import { completeOnboarding, restrictAccount } from './resources/accounts.ts';
import { finishAuthentication, type Outcome } from './resources/authentications.ts';
import type { StripeState } from './state.ts';
import { accountData } from './state.ts';
import { present } from './wire/present.ts';

/**
 * Triggers of the Stripe emulator (`POST /_emulator/trigger`); `account` defaults to the platform's own.
 *
 * - `{"name": "complete_onboarding", "account"}` completes onboarding
 * - `{"name": "complete_authentication", "intent", "outcome"?: "succeeded"|"failed", "account"?}` 3-D Secure
 * - `{"name": "resend_events", "events"?: [ids], "order"?: "given"|"reverse"|"shuffle", "copies"?:
 *   n, "account"?}` sends recorded events again; by default all events of the account
 * - `{"name": "drop_webhooks", "all"?: true, "share"?: 0.1, "seed"?: n, "next"?: n, "types"?: ["invoice.*"]}`
 *   drops webhooks permanently: all, a share or the next n, of all or of these types; without parameters stops
 *   dropping. `GET /v1/events` still lists the events. `{"name": "dropped_webhooks"}` returns the dropped ones
 * - `{"name": "roll_secret", "endpoint": "we_…"|"configured_0", "expires_in_seconds"?: 0 to 86400}` returns a
 *   new signing secret, only in this response; until the old one expires, events carry a signature of each
 * - `{"name": "dispute", "charge", "reason"?, "account"?}` the cardholder disputes a payment
 * - `{"name": "close_dispute", "dispute", "outcome": "won"|"lost", "account"?}` the bank decides
 * - `{"name": "restrict", "account"}` disables charges until onboarding is completed again
 * - `{"name": "deauthorize", "account"}` revokes the platform's access and emits `account.application.deauthorized`
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
      return present(completeOnboarding(world, options, id), accountData(world.state, id));
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

    drop_webhooks: (given, { state }) => {
      const dropping = readDropping(given);
      if (dropping) state.dropping = dropping;
      else delete state.dropping;
      return dropping ?? { dropping: false };
    },

    dropped_webhooks: (_, { state }) => state.dropping?.dropped ?? [],

    roll_secret: ({ endpoint, expires_in_seconds = 0 }, { clock, state }) => {
      const before = typeof endpoint === 'string' ? secretOf(endpoint, options, state) : undefined;
      if (!before) throw new TypeError(`No endpoint ${String(endpoint)}`);
      if (typeof expires_in_seconds !== 'number' || expires_in_seconds < 0 || expires_in_seconds > 86_400)
        throw new TypeError('expires_in_seconds is 0 to 86400');
      const previous = { secret: before, until: clock.nowSeconds() + expires_in_seconds };
      const secret = `whsec_${randomText(32)}`;
      state.rolled = { ...state.rolled, [endpoint as string]: { secret, previous } };
      return { endpoint, secret };
    },

    dispute: ({ account, charge: id, reason = 'general' }, world) => {
      const ledger = openLedger(world, options, accountIn(world.state, account));
      const charge = ledger.data.objects.charge[String(id)];
      if (!charge?.paid || charge.disputed) throw new TypeError(`${String(id)} is no payment that can be disputed`);
      if (typeof reason !== 'string') throw new TypeError('reason is text');
      return present(openDispute(ledger, charge, { reason, inquiry: false }), ledger.data);
    },

    close_dispute: ({ account, dispute: id, outcome }, world) => {
      const ledger = openLedger(world, options, accountIn(world.state, account));
      const dispute = ledger.data.objects.dispute[String(id)];
      if (!dispute || isClosed(dispute)) throw new TypeError(`${String(id)} is no open dispute`);
      if (outcome !== 'won' && outcome !== 'lost') throw new TypeError('outcome is won or lost');
      return present(closeDispute(ledger, dispute, outcome), ledger.data);
    },

    restrict: ({ account }, world) => {
      const id = accountIn(world.state, account);
      return present(restrictAccount(world, options, id), accountData(world.state, id));
    },

    deauthorize: ({ account }, world) => {
      const id = accountIn(world.state, account);
      if (id === world.state.platform) throw new TypeError('Only connected accounts can be deauthorized');
      const ledger = openLedger(world, options, id);
      const application = { id: newId('ca'), object: 'application', name: null };
      ledger.emit('account.application.deauthorized', application as unknown as StripeEvent);
      // No further events reach the platform.
      ledger.data.account._deauthorized = true;
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
