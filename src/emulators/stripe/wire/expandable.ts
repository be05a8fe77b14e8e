import type { Kind } from '../state.ts';

/**
 * Parts of each object that `expand[]` accepts: `*kind` is a reference, an id by default; `+name` is
 * omitted by default (see `operation.ts`); a plain name is a part or list on the path to one.
 */
export const EXPANDABLE: Record<string, Record<string, string>> = {
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
const ANSWERS: Record<string, string> = {
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
export function answerOf(method: string, path: string): string | undefined {
  const names = path.split('/').filter((part) => part in ANSWERS);
  const kind = ANSWERS[names.at(-1) ?? ''];
  const lists = method === 'GET' && path.endsWith(`/${names.at(-1)}`) && !path.endsWith('/account');
  return kind && (lists ? `list of ${kind}` : kind);
}

/** Returns the parts of an object or list; undefined when it has none. */
export function partsOf(what: string): Record<string, string> | undefined {
  return what.startsWith('list of ') ? { data: what.slice('list of '.length) } : EXPANDABLE[what];
}

export const referenced = (part: string) => (part.startsWith('*') ? (part.slice(1) as Kind) : undefined);
