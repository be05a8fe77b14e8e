/**
 * Stands in for https://js.stripe.com/endive/stripe.js: a card form and real requests to the Stripe emulator that
 * served this script. Load it before `@stripe/stripe-js/pure`, which then uses the existing `window.Stripe`.
 */
import { type CardElement, createCardElement, type StripeJsError } from './card-element.ts';
import { type Appearance, node, styledHost } from './styled-host.ts';

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

type Kind = 'paymentIntent' | 'setupIntent';
type Result = { error: StripeJsError } | Partial<Record<Kind, Intent>>;
type Params = Record<string, unknown>;

const WIRE = {
  paymentIntent: { path: '/v1/payment_intents', name: 'payment_intent', lastError: 'last_payment_error' },
  setupIntent: { path: '/v1/setup_intents', name: 'setup_intent', lastError: 'last_setup_error' },
} as const;

/**
 * Calls the API as Stripe.js does: publishable key and client secret as
 * form parameters. Network errors are returned, not thrown.
 */
function createClient(base: string, identity: Params) {
  async function call(
    method: 'GET' | 'POST',
    path: string,
    params: Params,
  ): Promise<Intent & { error?: StripeJsError }> {
    const form = new URLSearchParams(pairs({ ...identity, ...params }));
    try {
      const response = await (method === 'GET'
        ? fetch(`${base}${path}?${form}`)
        : fetch(base + path, { method, body: form }));
      return await response.json();
    } catch {
      const message = 'The payment provider cannot be reached. Check your connection and try again.';
      return { error: { type: 'api_connection_error', message } } as Intent & { error: StripeJsError };
    }
  }

  /** Resolves an intent to its final result, with the challenge when one is required. */
  async function resolveIntent(
    kind: Kind,
    intent: Intent & { error?: StripeJsError },
    appearance?: Appearance,
  ): Promise<Result> {
    if (intent.error) return { error: intent.error };
    if (intent.status !== 'requires_action' || !intent.next_action) return { [kind]: intent };
    const outcome = await challenge(intent, appearance);
    const { source } = intent.next_action.use_stripe_sdk;
    const after = await call('POST', '/v1/3ds2/authenticate', { source, client_secret: intent.client_secret, outcome });
    if (after.error || after.status === 'succeeded') return resolveIntent(kind, after, appearance);
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
      const body = { client_secret, use_stripe_sdk: true, expected_payment_method_type: 'card', ...params };
      return resolveIntent(
        kind,
        await call('POST', `${WIRE[kind].path}/${idOf(client_secret)}/confirm`, body),
        appearance,
      );
    },
    async nextAction(client_secret: string): Promise<Result> {
      const kind = client_secret.startsWith('seti_') ? 'setupIntent' : 'paymentIntent';
      const current = await retrieve(kind, client_secret);
      return 'error' in current ? current : resolveIntent(kind, current[kind]!);
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

/** Shows a bank's 3-D Secure dialog; dismissing it fails the authentication. */
function challenge(
  intent: { amount?: number; currency?: string },
  appearance: Appearance | undefined,
): Promise<'succeeded' | 'failed'> {
  const { host, root } = styledHost(appearance);
  const complete = node('button', { type: 'button' }, 'Complete authentication');
  const fail = node('button', { type: 'button' }, 'Fail authentication');
  const dialog = node(
    'dialog',
    { 'aria-labelledby': 'title', 'aria-describedby': 'what' },
    node('h2', { id: 'title' }, '3-D Secure authentication'),
    node('p', { id: 'what' }, `The test bank asks you to confirm ${subject(intent)}.`),
    node('div', { class: 'buttons' }, complete, fail),
  );
  root.append(dialog);
  document.body.append(host);
  dialog.showModal();
  return new Promise<'succeeded' | 'failed'>((resolve) => {
    complete.addEventListener('click', () => resolve('succeeded'));
    fail.addEventListener('click', () => resolve('failed'));
    dialog.addEventListener('cancel', () => resolve('failed'));
  }).finally(() => host.remove());
}

function subject({ amount, currency }: { amount?: number; currency?: string }): string {
  if (amount === undefined || currency === undefined) return 'that this card is saved';
  const format = new Intl.NumberFormat(undefined, { style: 'currency', currency });
  return `the payment of ${format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))}`;
}

interface ConfirmOptions {
  elements?: Elements;
  clientSecret?: string;
  confirmParams?: { return_url?: string; payment_method_data?: object; [param: string]: unknown };
  redirect?: 'always' | 'if_required';
}

interface CardData {
  payment_method?: string | { card: CardElement; billing_details?: object };
  [param: string]: unknown;
}

/**
 * Defined by the route that serves the script, because a proxy may
 * serve it under another origin than the emulator's own.
 */
declare const EMULATOR_ORIGIN: string;

/** stripe-js calls this as a plain function from `window`. */
function Stripe(key: string, { stripeAccount }: { stripeAccount?: string } = {}) {
  if (!key?.startsWith?.('pk_test_')) throw new Error(`Please call Stripe() with a pk_test_ key. You used: ${key}`);
  const client = createClient(EMULATOR_ORIGIN, { key, _stripe_account: stripeAccount });

  async function confirm(
    kind: Kind,
    { elements, clientSecret, confirmParams = {}, redirect = 'always' }: ConfirmOptions,
  ) {
    const secret = clientSecret ?? elements?._settings.clientSecret;
    if (!secret) throw new Error('A clientSecret is needed, in elements() or in the confirmation.');
    const { payment_method_data: extra, return_url, ...rest } = confirmParams;
    if (redirect === 'always' && !return_url) throw new Error('confirmParams.return_url is needed.');
    const card = elements?._card();
    const cardData = card?._read();
    if (cardData && 'error' in cardData) return cardData;
    const data = cardData && { payment_method_data: { ...cardData.data, ...extra } };
    const result = await client.confirm(kind, secret, { return_url, ...rest, ...data }, elements?._settings.appearance);
    if ('error' in result) card?._show({ message: result.error.message });
    if ('error' in result || redirect === 'if_required') return result;
    return redirectTo(return_url!, kind, result, secret);
  }

  async function confirmCard(kind: Kind, secret: string, { payment_method, ...rest }: CardData = {}): Promise<Result> {
    if (typeof payment_method !== 'object') return client.confirm(kind, secret, { payment_method, ...rest });
    const { card, ...details } = payment_method;
    const cardData = card._read();
    if ('error' in cardData) return cardData;
    return client.confirm(kind, secret, { ...rest, payment_method_data: { ...cardData.data, ...details } });
  }

  return {
    elements: (settings: ElementsSettings = {}) => createElements({ ...settings }),
    confirmPayment: (options: ConfirmOptions) => confirm('paymentIntent', options),
    confirmSetup: (options: ConfirmOptions) => confirm('setupIntent', options),
    confirmCardPayment: (secret: string, data?: CardData) => confirmCard('paymentIntent', secret, data),
    confirmCardSetup: (secret: string, data?: CardData) => confirmCard('setupIntent', secret, data),
    retrievePaymentIntent: (secret: string) => client.retrieve('paymentIntent', secret),
    retrieveSetupIntent: (secret: string) => client.retrieve('setupIntent', secret),
    handleNextAction: ({ clientSecret }: { clientSecret: string }) => client.nextAction(clientSecret),
    handleCardAction: (secret: string) => client.nextAction(secret),
    async createPaymentMethod({
      elements,
      card,
      params,
    }: {
      elements?: Elements;
      card?: CardElement;
      params?: object;
    }) {
      const cardData = (card ?? elements?._card())?._read();
      if (!cardData) throw new Error('A card element is needed.');
      if ('error' in cardData) return cardData;
      const created = await client.call('POST', '/v1/payment_methods', { ...cardData.data, ...params });
      return created.error ? { error: created.error } : { paymentMethod: created };
    },
    createToken: async () => ({ error: { type: 'invalid_request_error', message: 'Tokens are not emulated.' } }),
    registerAppInfo() {},
    _registerWrapper() {},
  };
}

/** Redirects to `return_url` with the parameters that identify the intent; never resolves. */
function redirectTo(
  returnUrl: string,
  kind: Kind,
  result: Exclude<Result, { error: unknown }>,
  secret: string,
): Promise<never> {
  const { name } = WIRE[kind];
  const target = new URL(returnUrl);
  target.searchParams.set(name, result[kind]!.id);
  target.searchParams.set(`${name}_client_secret`, secret);
  target.searchParams.set('redirect_status', 'succeeded');
  location.assign(target);
  return new Promise(() => {});
}

/** stripe-js 10 logs a warning for any other release train. */
Stripe.version = 'endive';
Object.assign(window, { Stripe });

interface ElementsSettings {
  clientSecret?: string;
  appearance?: Appearance;
}

type Elements = ReturnType<typeof createElements>;

/** Returns the object of `stripe.elements(options)`, with at most one card form, as "payment" or "card". */
function createElements(settings: ElementsSettings) {
  const created = new Map<string, CardElement>();
  const card = () => created.get('payment') ?? created.get('card');
  const elements = {
    create(type: string) {
      const element = createCardElement(type, settings.appearance);
      created.set(type, element);
      return element;
    },
    getElement: (type: string) => created.get(type) ?? null,
    update(options: ElementsSettings) {
      Object.assign(settings, options);
      if (options.appearance) for (const element of created.values()) element._dress(settings.appearance);
    },
    fetchUpdates: async () => ({}),
    async submit() {
      const cardData = card()?._read();
      if (!cardData) return { error: { type: 'invalid_request_error', message: 'No element is mounted.' } };
      return 'error' in cardData ? { error: cardData.error } : { selectedPaymentMethod: 'card' };
    },
    on: () => elements,
    off: () => elements,
    _card: card,
    _settings: settings,
  };
  return elements;
}
