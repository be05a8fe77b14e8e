/**
 * Stands in for https://js.stripe.com/endive/stripe.js: a card form and real requests to the Stripe emulator that
 * served this script. Load it before `@stripe/stripe-js/pure`, which then uses the existing `window.Stripe`.
 */
import type { CardElement } from './card-element.ts';
import { createClient, type Kind, type Result, WIRE } from './client.ts';
import { createElements, type Elements, type ElementsSettings } from './elements.ts';

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
    const read = card?._read();
    if (read && 'error' in read) return read;
    const data = read && { payment_method_data: { ...read.data, ...extra } };
    const result = await client.confirm(kind, secret, { return_url, ...rest, ...data }, elements?._settings.appearance);
    if ('error' in result) card?._show({ message: result.error.message });
    if ('error' in result || redirect === 'if_required') return result;
    return leaveFor(return_url!, kind, result, secret);
  }

  async function confirmCard(kind: Kind, secret: string, { payment_method, ...rest }: CardData = {}): Promise<Result> {
    if (typeof payment_method !== 'object') return client.confirm(kind, secret, { payment_method, ...rest });
    const { card, ...details } = payment_method;
    const read = card._read();
    if ('error' in read) return read;
    return client.confirm(kind, secret, { ...rest, payment_method_data: { ...read.data, ...details } });
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
      const read = (card ?? elements?._card())?._read();
      if (!read) throw new Error('A card element is needed.');
      if ('error' in read) return read;
      const made = await client.call('POST', '/v1/payment_methods', { ...read.data, ...params });
      return made.error ? { error: made.error } : { paymentMethod: made };
    },
    createToken: async () => ({ error: { type: 'invalid_request_error', message: 'Tokens are not emulated.' } }),
    registerAppInfo() {},
    _registerWrapper() {},
  };
}

/** Redirects to `return_url` with the parameters that identify the intent; never resolves. */
function leaveFor(
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
