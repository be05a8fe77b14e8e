import { isDropped } from './dropped-webhooks.ts';
import { newId } from './ids.ts';
import type { StripeEvent, StripeObject } from './objects.ts';
import { API_VERSION, type StripeEmulatorOptions } from './options.ts';
import type { Ledger, StripeState } from './state.ts';
import { accountData } from './state.ts';
import { present } from './wire/present.ts';

export interface WebhookTarget {
  /** `configured_<n>` or the id of a webhook endpoint; selects the signing secret. */
  keyId: string;
  url: string;
}

/** Records an event and sends it to every subscribed endpoint, unless a control drops it. */
export function createEvent(
  ledger: Ledger,
  type: string,
  object: StripeObject,
  previous?: Record<string, unknown>,
): void {
  const { accountId, cause, data, world } = ledger;
  const targets = targetsOf(ledger, type);
  const connected = accountId !== world.state.platform;
  const customer = customerOf(object);
  const created = ledger.now(customer);
  const onTestClock = customer !== null && Boolean(data.objects.customer[customer]?.test_clock);
  const event: StripeEvent = {
    id: newId('evt'),
    object: 'event',
    ...(connected && { account: accountId }),
    api_version: API_VERSION,
    created,
    data: { object: present(object, data), ...(previous && { previous_attributes: previous }) },
    livemode: false,
    pending_webhooks: targets.length,
    request: { id: cause?.requestId ?? null, idempotency_key: cause?.idempotencyKey ?? null },
    type,
    _undelivered: targets.map(({ keyId }) => keyId),
    _at: onTestClock ? world.clock.nowSeconds() : created,
  };
  ledger.put('event', event);
  if (targets.length > 0 && isDropped(world.state, event, accountId)) return;
  for (const target of targets) sendEvent(ledger, event, target);
}

export function sendEvent(
  { accountId, data, world }: Pick<Ledger, 'accountId' | 'data' | 'world'>,
  event: StripeEvent,
  target: WebhookTarget,
): void {
  const body = JSON.stringify(present(event, data), null, 2);
  const about = `${accountId} ${event.id}`;
  world.webhooks.send({ ...target, about, event: event.type, body, contentType: 'application/json; charset=utf-8' });
}

/** Records that an endpoint accepted an event and updates `pending_webhooks`. */
export function markDelivered(state: StripeState, keyId: string, about: string | undefined): void {
  const [account = '', id = ''] = (about ?? '').split(' ');
  const event = state.accounts[account]?.objects.event[id];
  if (!event) return;
  event._undelivered = (event._undelivered ?? []).filter((other) => other !== keyId);
  event.pending_webhooks = event._undelivered.length;
}

/** Events are available for 30 days (Stripe, "List all events"). */
export const EVENT_SECONDS = 30 * 24 * 3600;

/**
 * Returns the endpoints for this account's events: its own, the configured
 * ones, and for a connected account the platform's `connect` endpoints.
 */
export function targetsOf({ accountId, data, options, world }: Ledger, type: string): WebhookTarget[] {
  if (data.account._deauthorized) return [];
  const { platform } = world.state;
  const own = Object.values(data.objects.webhook_endpoint).filter((endpoint) => !endpoint._connect);
  const connect = Object.values(accountData(world.state, platform).objects.webhook_endpoint).filter(
    (endpoint) => endpoint._connect,
  );
  const registered = [...own, ...(accountId === platform ? [] : connect)]
    .filter(({ status, enabled_events }) => status === 'enabled' && listens(enabled_events, type))
    .map(({ id, url }) => ({ keyId: id, url }));
  const configured = (options.webhookEndpoints ?? []).map(({ url }, index) => ({ keyId: `configured_${index}`, url }));
  return [...configured, ...registered];
}

export function secretOf(keyId: string, options: StripeEmulatorOptions, state: StripeState): string | undefined {
  const rolled = state.rolled?.[keyId];
  if (rolled) return rolled.secret;
  const index = /^configured_(\d+)$/.exec(keyId)?.[1];
  if (index !== undefined) return options.webhookEndpoints?.[Number(index)]?.secret;
  return Object.values(state.accounts)
    .map(({ objects }) => objects.webhook_endpoint[keyId])
    .find((endpoint) => endpoint !== undefined)?._secret;
}

/** Returns the secrets that sign an event: the endpoint's current one, and the previous one until it expires. */
export function secretsOf(keyId: string, options: StripeEmulatorOptions, state: StripeState, now: number): string[] {
  const current = secretOf(keyId, options, state);
  const previous = state.rolled?.[keyId]?.previous;
  return [...(current ? [current] : []), ...(previous && now < previous.until ? [previous.secret] : [])];
}

function listens(enabled: string[], type: string): boolean {
  return enabled.includes('*') || enabled.includes(type);
}

function customerOf(object: StripeObject): string | null {
  if (object.object === 'customer') return object.id;
  return typeof object.customer === 'string' ? object.customer : null;
}
