import { setTimeout as sleep } from 'node:timers/promises';
import { type EmulatorRequest, ErrorReply, type Reply, type Route, type World } from '../../core/route.ts';
import { confirmationSecret, invoicePayments } from '../billing/invoice-payments.ts';
import { lineItemsOf } from '../billing/session-lines.ts';
import { newId } from '../ids.ts';
import { type Ledger, openLedger } from '../ledger.ts';
import type { CheckoutSession, Invoice, StripeObject } from '../objects.ts';
import { API_VERSION, type StripeEmulatorOptions } from '../options.ts';
import type { AccountData, Kind, StripeState } from '../state.ts';
import { invalidRequest, stripeError } from './errors.ts';
import { runIdempotently } from './idempotency.ts';
import { type Input, readParams, type Shape } from './params.ts';
import { present, presentList, presentToBrowser, type Wire } from './present.ts';

/**
 * Parts of each object that `expand[]` accepts: `*kind` is a reference, an id by default; `+name` is
 * omitted by default (see `operation.ts`); a plain name is a part or list on the path to one.
 */
const EXPANDABLE: Record<string, Record<string, string>> = {
  account: {},
  capability: {},
  charge: { customer: '*customer', payment_intent: '*payment_intent', refunds: '+list of refund' },
  'checkout.session': {
    customer: '*customer',
    discounts: 'session discount',
    invoice: '*invoice',
    line_items: '+list of item',
    payment_intent: '*payment_intent',
    setup_intent: '*setup_intent',
    subscription: '*subscription',
  },
  'session discount': { coupon: '*coupon', promotion_code: '*promotion_code' },
  coupon: { applies_to: '+' },
  customer: {
    invoice_settings: 'invoice settings',
    subscriptions: '+list of subscription',
    test_clock: '*test_clock',
  },
  'invoice settings': { default_payment_method: '*payment_method' },
  discount: { customer: '*customer', promotion_code: '*promotion_code', source: 'discount source' },
  'discount source': { coupon: '*coupon' },
  dispute: { charge: '*charge', payment_intent: '*payment_intent' },
  event: {},
  invoice: {
    confirmation_secret: '+',
    customer: '*customer',
    default_payment_method: '*payment_method',
    discounts: '*discount',
    lines: 'list of line_item',
    parent: 'invoice parent',
    payments: '+list of invoice_payment',
    test_clock: '*test_clock',
    total_discount_amounts: 'discount amount',
  },
  'invoice parent': { subscription_details: 'subscription details' },
  'subscription details': { subscription: '*subscription' },
  'discount amount': { discount: '*discount' },
  invoice_payment: { invoice: '*invoice', payment: 'payment of an invoice' },
  'payment of an invoice': { payment_intent: '*payment_intent' },
  item: { price: 'price' },
  line_item: {
    discount_amounts: 'discount amount',
    discounts: '*discount',
    pricing: 'pricing',
    subscription: '*subscription',
  },
  pricing: { price_details: 'price details' },
  'price details': { price: '*price' },
  payment_intent: { customer: '*customer', latest_charge: '*charge', payment_method: '*payment_method' },
  payment_method: { customer: '*customer' },
  plan: { product: '*product' },
  price: { product: '*product' },
  product: { default_price: '*price' },
  promotion_code: { customer: '*customer', promotion: 'promotion' },
  promotion: { coupon: '*coupon' },
  refund: {
    charge: '*charge',
    customer: '*customer',
    payment_intent: '*payment_intent',
    payment_method: '*payment_method',
  },
  setup_intent: { customer: '*customer', payment_method: '*payment_method' },
  subscription: {
    customer: '*customer',
    default_payment_method: '*payment_method',
    discounts: '*discount',
    items: 'list of subscription_item',
    latest_invoice: '*invoice',
    pending_setup_intent: '*setup_intent',
    test_clock: '*test_clock',
  },
  subscription_item: { plan: 'plan', price: 'price' },
  test_clock: {},
  webhook_endpoint: {},
};

/** The kind of object that the operations under each path return. */
const RESPONSE_KINDS: Record<string, string> = {
  account_links: 'account',
  accounts: 'account',
  account: 'account',
  capabilities: 'capability',
  charges: 'charge',
  coupons: 'coupon',
  customers: 'customer',
  disputes: 'dispute',
  events: 'event',
  invoice_payments: 'invoice_payment',
  invoices: 'invoice',
  line_items: 'item',
  lines: 'line_item',
  payment_intents: 'payment_intent',
  payment_methods: 'payment_method',
  prices: 'price',
  products: 'product',
  promotion_codes: 'promotion_code',
  refunds: 'refund',
  sessions: 'checkout.session',
  setup_intents: 'setup_intent',
  subscription_items: 'subscription_item',
  subscriptions: 'subscription',
  test_clocks: 'test_clock',
  webhook_endpoints: 'webhook_endpoint',
};

/** Returns the kind of an operation's response: an object or a list of objects. */
function responseKindOf(method: string, path: string): string | undefined {
  const names = path.split('/').filter((part) => part in RESPONSE_KINDS);
  const kind = RESPONSE_KINDS[names.at(-1) ?? ''];
  const lists = method === 'GET' && path.endsWith(`/${names.at(-1)}`) && !path.endsWith('/account');
  return kind && (lists ? `list of ${kind}` : kind);
}

/** Returns the parts of an object or list; undefined when it has none. */
function partsOf(what: string): Record<string, string> | undefined {
  return what.startsWith('list of ') ? { data: what.slice('list of '.length) } : EXPANDABLE[what];
}

const referenced = (part: string) => (part.startsWith('*') ? (part.slice(1) as Kind) : undefined);

/** Values of a path's `:names`. */
type PathValues<Path extends string> = string extends Path
  ? Record<string, string>
  : Path extends `${string}:${infer Name}/${infer Rest}`
    ? { [Key in Name]: string } & PathValues<`/${Rest}`>
    : Path extends `${string}:${infer Name}`
      ? { [Key in Name]: string }
      : Record<never, string>;

export interface Call<S extends Shape, Path extends string = string> {
  input: Input<S>;
  path: PathValues<Path>;
  ledger: Ledger;
  access: 'secret' | 'publishable';
}

export interface Operation {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  shape: Shape;
  /** Publishable keys may call only operations marked so, and receive a reduced response. */
  access: 'secret' | 'publishable';
  run(call: Call<Shape>): Wire;
}

/**
 * Defines an API operation: its strictly validated parameters and
 * its effect. `run` returns the object in Stripe's shape.
 */
export function operation<S extends Shape, Path extends string>(
  method: Operation['method'],
  path: Path,
  shape: S,
  run: (call: Call<S, Path>) => Wire,
  access: Operation['access'] = 'secret',
): Operation {
  return { method, path, shape, access, run: run as unknown as Operation['run'] };
}

/**
 * Builds the route of an operation, with API key, account, version,
 * parameters, idempotency, expansion and response headers.
 */
export function routeOf(definition: Operation, options: StripeEmulatorOptions): Route<StripeState> {
  return {
    method: definition.method,
    path: definition.path,
    async handle(request, world) {
      const requestId = newId('req');
      const reply = await execute(definition, options, request, world, requestId).catch((error: unknown) => {
        if (!(error instanceof ErrorReply)) throw error;
        return error.reply;
      });
      if (reply.status >= 400 && reply.status !== 402) logError(world, request, reply);
      return { ...reply, headers: { ...reply.headers, ...responseHeaders(request, requestId) } };
    },
  };
}

async function execute(
  definition: Operation,
  options: StripeEmulatorOptions,
  request: EmulatorRequest,
  world: World<StripeState>,
  requestId: string,
): Promise<Reply> {
  const { access, accountId } = identifyCaller(request, options, world.state);
  if (access === 'publishable' && definition.access !== 'publishable') {
    const message = 'This API call cannot be made with a publishable API key. Please use a secret API key.';
    throw invalidRequest(message, { code: 'secret_key_required' }, 403);
  }
  const version = request.headers['stripe-version'];
  if (version !== undefined && version !== API_VERSION) {
    throw invalidRequest(`Invalid Stripe API version: ${String(version)}. Only ${API_VERSION} is emulated.`);
  }
  const key = request.headers['idempotency-key'];
  const cause = { requestId, idempotencyKey: typeof key === 'string' ? key : null };
  const ledger = openLedger(world, options, accountId, cause);

  return runIdempotently(request, ledger.data, world.clock.nowSeconds(), async () => {
    const input = readParams(definition.shape, givenParams(request));
    const kind = responseKindOf(definition.method, definition.path);
    checkExpand(input.expand, kind);
    if (request.method === 'POST' && options.latencyMs) await sleep(options.latencyMs);
    try {
      const shown = definition.run({ input, path: request.params, ledger, access });
      const body = access === 'publishable' ? presentToBrowser(shown) : expand(shown, input.expand, ledger.data, kind);
      return { began: true, reply: { status: 200, body } };
    } catch (error) {
      if (!(error instanceof ErrorReply)) throw error;
      return { began: true, reply: error.reply };
    }
  });
}

/** Merges query and body, without parameters that identify the caller. */
function givenParams({ query, body }: EmulatorRequest): Record<string, unknown> {
  const { key, _stripe_account, _stripe_version, ...rest } = { ...query, ...(body as Record<string, unknown>) };
  return rest;
}

function responseHeaders({ headers }: EmulatorRequest, requestId: string): Record<string, string> {
  const echoed = ['idempotency-key', 'stripe-account'].flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return { 'request-id': requestId, 'stripe-version': API_VERSION, ...Object.fromEntries(echoed) };
}

function logError(world: World<StripeState>, { method, path }: EmulatorRequest, { status, body }: Reply): void {
  world.log(`${status} ${method} ${path}: ${(body as { error?: { message?: string } }).error?.message ?? ''}`);
}

interface Caller {
  access: 'secret' | 'publishable';
  accountId: string;
}

/**
 * Identifies the caller by the API key and the account (`Stripe-Account`, or `_stripe_account` from Stripe.js).
 * @throws ErrorReply 401 for a missing or unknown key, 403 `account_invalid`
 */
function identifyCaller(request: EmulatorRequest, options: StripeEmulatorOptions, state: StripeState): Caller {
  const params = { ...request.query, ...(request.body as Record<string, unknown>) };
  const key = keyOf(request) ?? (typeof params.key === 'string' ? params.key : undefined);
  if (!key) {
    const message =
      'You did not provide an API key. Provide it as `Authorization: Bearer YOUR_SECRET_KEY`, or as basic auth username.';
    throw stripeError(401, { type: 'invalid_request_error', message });
  }
  const access = options.secretKeys.includes(key)
    ? 'secret'
    : options.publishableKeys.includes(key)
      ? 'publishable'
      : null;
  if (!access)
    throw stripeError(401, { type: 'invalid_request_error', message: `Invalid API Key provided: ${masked(key)}` });
  const account = request.headers['stripe-account'] ?? params._stripe_account ?? state.platform;
  if (typeof account !== 'string' || !mayActOn(state, account)) {
    const message = `The provided key '${masked(key)}' does not have access to account '${String(account)}' (or that account does not exist). Application access may have been revoked.`;
    throw invalidRequest(message, { code: 'account_invalid' }, 403);
  }
  return { access, accountId: account };
}

function mayActOn({ accounts }: StripeState, account: string): boolean {
  return Object.hasOwn(accounts, account) && accounts[account]?.account._deauthorized !== true;
}

function keyOf({ headers: { authorization = '' } }: EmulatorRequest): string | undefined {
  const [scheme = '', value = ''] = authorization.split(' ');
  if (/^bearer$/i.test(scheme)) return value;
  if (/^basic$/i.test(scheme)) return Buffer.from(value, 'base64').toString('utf8').split(':')[0];
  return undefined;
}

function masked(key: string): string {
  return `${key.slice(0, 8)}****${key.slice(-4)}`;
}

/** Fields that are included only when expanded. */
const INCLUDABLE: Record<string, (id: string, data: AccountData) => unknown> = {
  'charge.refunds': (id, data) =>
    listOf(`/v1/charges/${id}/refunds`, Object.values(data.objects.refund), data, ({ charge }) => charge === id),
  'checkout.session.line_items': (id, data) => lineItemsOf(data.objects.checkout_session[id] as CheckoutSession, data),
  'coupon.applies_to': (id, data) => {
    const products = data.objects.coupon[id]?._products ?? [];
    return products.length > 0 ? { products } : null;
  },
  'customer.subscriptions': (id, data) =>
    listOf(
      `/v1/customers/${id}/subscriptions`,
      Object.values(data.objects.subscription),
      data,
      ({ customer, status }) => customer === id && status !== 'canceled',
    ),
  // A preview is not stored and has no payment.
  'invoice.confirmation_secret': (id, data) => {
    const invoice = data.objects.invoice[id];
    return invoice ? confirmationSecret(invoice as Invoice, data) : null;
  },
  'invoice.payments': (id, data) => {
    const invoice = data.objects.invoice[id];
    return invoice ? invoicePayments(invoice as Invoice, data) : presentList('/v1/invoice_payments', []);
  },
};

function listOf<T extends StripeObject>(url: string, all: T[], data: AccountData, filter: (one: T) => boolean): Wire {
  const matching = all.filter(filter).reverse();
  return presentList(
    url,
    matching.slice(0, 10).map((one) => present(one, data)),
    matching.length > 10,
  );
}

/** `data` counts as a level: Stripe rejects `data.payments.data.payment.charge`. */
const MAX_DEPTH = 4;

/**
 * Validates the `expand[]` paths for a response of this kind, before any effect.
 * @throws ErrorReply
 */
function checkExpand(paths: string[], responseKind: string | undefined): void {
  for (const path of paths) {
    const segments = path.split('.');
    if (segments.length > MAX_DEPTH)
      throw invalidRequest(`You cannot expand more than ${MAX_DEPTH} levels of a property. Property: ${path}`);
    let what = responseKind ?? '';
    for (const [index, name] of segments.entries()) {
      const part = Object.entries(partsOf(what) ?? {}).find(([key]) => key === name)?.[1];
      const last = index === segments.length - 1;
      if (part === undefined || (last && !/^[*+]/.test(part))) throw notExpandable(path);
      what = part.replace(/^[*+]/, '').replace('checkout_session', 'checkout.session');
    }
  }
}

const notExpandable = (path: string) =>
  invalidRequest(`This property cannot be expanded (${path}).`, { param: 'expand' });

/** Replaces ids with objects in place along each `expand[]` path. The paths are validated by `checkExpand`. */
function expand(root: Wire, paths: string[], data: AccountData, responseKind: string | undefined): Wire {
  for (const path of paths) walk(root, responseKind ?? '', path.split('.'), data);
  return root;
}

function walk(node: Wire, what: string, [name, ...rest]: string[], data: AccountData): void {
  const part = name === undefined ? undefined : partsOf(what)?.[name];
  if (name === undefined || part === undefined) return;
  const include = INCLUDABLE[`${what}.${name}`];
  if (include && node[name] === undefined) node[name] = include(String(node.id), data);
  const kind = referenced(part);
  const resolve = (value: unknown) => {
    const object: StripeObject | undefined = kind && typeof value === 'string' ? data.objects[kind][value] : undefined;
    return object ? present(object, data) : value;
  };
  const value = node[name];
  if (value === undefined) return;
  node[name] = Array.isArray(value) ? value.map(resolve) : resolve(value);
  for (const child of [node[name]].flat())
    if (child && typeof child === 'object') walk(child as Wire, part.replace(/^[*+]/, ''), rest, data);
}
