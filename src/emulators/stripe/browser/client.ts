import type { StripeJsError } from './card-element.ts';
import { challenge } from './challenge.ts';
import type { Appearance } from './styled-host.ts';

interface Intent {
  id: string;
  client_secret: string;
  status: string;
  amount?: number;
  currency?: string;
  next_action?: { use_stripe_sdk: { source: string } };
  last_payment_error?: StripeJsError;
  last_setup_error?: StripeJsError;
}

export type Kind = 'paymentIntent' | 'setupIntent';
export type Result = { error: StripeJsError } | Partial<Record<Kind, Intent>>;
type Params = Record<string, unknown>;

export const WIRE = {
  paymentIntent: { path: '/v1/payment_intents', name: 'payment_intent', lastError: 'last_payment_error' },
  setupIntent: { path: '/v1/setup_intents', name: 'setup_intent', lastError: 'last_setup_error' },
} as const;

/**
 * Calls the API as Stripe.js does: publishable key and client secret as
 * form parameters. Network errors are returned, not thrown.
 */
export function createClient(base: string, identity: Params) {
  async function call(
    method: 'GET' | 'POST',
    path: string,
    params: Params,
  ): Promise<Intent & { error?: StripeJsError }> {
    const form = new URLSearchParams(pairs({ ...identity, ...params }));
    try {
      const answer = await (method === 'GET'
        ? fetch(`${base}${path}?${form}`)
        : fetch(base + path, { method, body: form }));
      return await answer.json();
    } catch {
      const message = 'The payment provider cannot be reached. Check your connection and try again.';
      return { error: { type: 'api_connection_error', message } } as Intent & { error: StripeJsError };
    }
  }

  /** Resolves an intent to its final result, with the challenge when one is required. */
  async function settle(
    kind: Kind,
    intent: Intent & { error?: StripeJsError },
    appearance?: Appearance,
  ): Promise<Result> {
    if (intent.error) return { error: intent.error };
    if (intent.status !== 'requires_action' || !intent.next_action) return { [kind]: intent };
    const outcome = await challenge(intent, appearance);
    const { source } = intent.next_action.use_stripe_sdk;
    const after = await call('POST', '/v1/3ds2/authenticate', { source, client_secret: intent.client_secret, outcome });
    if (after.error || after.status === 'succeeded') return settle(kind, after, appearance);
    const { lastError, name } = WIRE[kind];
    return { error: { ...after[lastError]!, [name]: after } };
  }

  async function retrieve(kind: Kind, client_secret: string): Promise<Result> {
    const intent = await call('GET', `${WIRE[kind].path}/${idOf(client_secret)}`, { client_secret });
    return intent.error ? { error: intent.error } : { [kind]: intent };
  }

  return {
    call,
    retrieve,
    async confirm(kind: Kind, client_secret: string, params: Params, appearance?: Appearance): Promise<Result> {
      const given = { client_secret, use_stripe_sdk: true, expected_payment_method_type: 'card', ...params };
      return settle(kind, await call('POST', `${WIRE[kind].path}/${idOf(client_secret)}/confirm`, given), appearance);
    },
    async nextAction(client_secret: string): Promise<Result> {
      const kind = client_secret.startsWith('seti_') ? 'setupIntent' : 'paymentIntent';
      const found = await retrieve(kind, client_secret);
      return 'error' in found ? found : settle(kind, found[kind]!);
    },
  };
}

const idOf = (secret: string) => secret.split('_secret_')[0];

/** Encodes `{a: {b: 1}}` as `a[b]=1`. */
function pairs(value: unknown, prefix = ''): [string, string][] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') return [[prefix, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) => pairs(inner, prefix ? `${prefix}[${key}]` : key));
}
