import { newId } from './ids.ts';
import type { Ledger } from './ledger-shape.ts';
import type { StripeEvent, StripeObject } from './objects.ts';
import type { StripeEmulatorOptions } from './options.ts';
import type { StripeState } from './state.ts';
import { present } from './wire/present.ts';
import { API_VERSION } from './wire/version.ts';

export interface Target {
  /** `configured_<n>` or the id of a webhook endpoint; names the secret to sign with. */
  keyId: string;
  url: string;
}

/** Records an event and sends it to every endpoint that listens. */
export function createEvent(
  ledger: Ledger,
  type: string,
  object: StripeObject,
  previous?: Record<string, unknown>,
): void {
  const { accountId, cause, data, world } = ledger;
  const targets = targetsOf(ledger, type);
  const connected = accountId !== world.state.platform;
  const event: StripeEvent = {
    id: newId('evt'),
    object: 'event',
    ...(connected && { account: accountId }),
    api_version: API_VERSION,
    created: ledger.now(customerOf(object)),
    data: { object: present(object, data), ...(previous && { previous_attributes: previous }) },
    livemode: false,
    pending_webhooks: targets.length,
    request: { id: cause?.requestId ?? null, idempotency_key: cause?.idempotencyKey ?? null },
    type,
  };
  ledger.put('event', event);
  for (const target of targets) sendEvent(ledger, event, target);
}

export function sendEvent({ world }: Pick<Ledger, 'world'>, event: StripeEvent, target: Target): void {
  const body = JSON.stringify(event, null, 2);
  world.webhooks.send({ ...target, event: event.type, body, contentType: 'application/json; charset=utf-8' });
}

/** Endpoints for this account's events: its own, for a connected account the platform's `connect` ones, and the configured. */
export function targetsOf({ accountId, data, options, world }: Ledger, type: string): Target[] {
  const { platform, accounts } = world.state;
  const own = Object.values(data.objects.webhook_endpoint).filter((endpoint) => !endpoint._connect);
  const connect = Object.values(accounts[platform]!.objects.webhook_endpoint).filter((endpoint) => endpoint._connect);
  const made = [...own, ...(accountId === platform ? [] : connect)]
    .filter(({ status, enabled_events }) => status === 'enabled' && listens(enabled_events, type))
    .map(({ id, url }) => ({ keyId: id, url }));
  const configured = (options.webhookEndpoints ?? []).map(({ url }, index) => ({ keyId: `configured_${index}`, url }));
  return [...configured, ...made];
}

export function secretOf(keyId: string, options: StripeEmulatorOptions, state: StripeState): string | undefined {
  const index = /^configured_(\d+)$/.exec(keyId)?.[1];
  if (index !== undefined) return options.webhookEndpoints?.[Number(index)]?.secret;
  return Object.values(state.accounts)
    .map(({ objects }) => objects.webhook_endpoint[keyId])
    .find((endpoint) => endpoint !== undefined)?._secret;
}

function listens(enabled: string[], type: string): boolean {
  return enabled.includes('*') || enabled.includes(type);
}

function customerOf(object: StripeObject): string | null {
  if (object.object === 'customer') return object.id;
  return typeof object.customer === 'string' ? object.customer : null;
}
