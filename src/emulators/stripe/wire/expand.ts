import { confirmationSecret, invoicePayments } from '../billing/invoice-payments.ts';
import type { Invoice, StripeObject } from '../objects.ts';
import type { AccountData, Kind } from '../state.ts';
import { invalidRequest } from './errors.ts';
import { present, type Wire } from './present.ts';

/** Which collection a reference of this name points into. */
const REFERENCES: Record<string, Kind> = {
  charge: 'charge',
  coupon: 'coupon',
  customer: 'customer',
  default_payment_method: 'payment_method',
  default_price: 'price',
  discounts: 'discount',
  invoice: 'invoice',
  latest_charge: 'charge',
  latest_invoice: 'invoice',
  payment_intent: 'payment_intent',
  payment_method: 'payment_method',
  pending_setup_intent: 'setup_intent',
  price: 'price',
  product: 'product',
  promotion_code: 'promotion_code',
  setup_intent: 'setup_intent',
  subscription: 'subscription',
  test_clock: 'test_clock',
};

/** Fields that are only there when asked for. */
const INCLUDABLE: Record<string, (id: string, data: AccountData) => unknown> = {
  'coupon.applies_to': (id, data) => {
    const products = data.objects.coupon[id]?._products ?? [];
    return products.length > 0 ? { products } : null;
  },
  'invoice.confirmation_secret': (id, data) => confirmationSecret(data.objects.invoice[id] as Invoice, data),
  'invoice.payments': (id, data) => invoicePayments(data.objects.invoice[id] as Invoice, data),
};

/** `data` counts as a level: `data.payments.data.payment.charge` is refused by Stripe. */
const MAX_DEPTH = 4;

/** Replaces ids by objects in place along each dotted path, as `expand[]` asks; refuses what cannot be expanded. */
export function expand(root: Wire, paths: string[], data: AccountData): Wire {
  for (const path of paths) {
    const segments = path.split('.');
    if (segments.length > MAX_DEPTH)
      throw invalidRequest(`You cannot expand more than ${MAX_DEPTH} levels of a property. Property: ${path}`);
    walk(root, segments, path, data);
  }
  return root;
}

function walk(node: Wire, [name, ...rest]: string[], path: string, data: AccountData): void {
  if (name === undefined) return;
  const include = INCLUDABLE[`${node.object}.${name}`];
  if (include && node[name] === undefined) node[name] = include(String(node.id), data);
  if (!(name in node) || (rest.length === 0 && !include && !(name in REFERENCES))) {
    throw invalidRequest(`This property cannot be expanded (${path}).`, { param: 'expand' });
  }
  const resolve = (value: unknown) => (typeof value === 'string' ? resolved(name, value, path, data) : value);
  const value = node[name];
  node[name] = Array.isArray(value) ? value.map(resolve) : resolve(value);
  for (const child of [node[name]].flat())
    if (child && typeof child === 'object') walk(child as Wire, rest, path, data);
}

function resolved(name: string, id: string, path: string, data: AccountData): Wire {
  const kind = REFERENCES[name];
  const found: StripeObject | undefined = kind && data.objects[kind][id];
  if (!found) throw invalidRequest(`This property cannot be expanded (${path}).`, { param: 'expand' });
  return present(found, data);
}
