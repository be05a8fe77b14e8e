import { confirmationSecret, invoicePayments } from '../billing/invoice-payments.ts';
import { lineItemsOf } from '../billing/session-lines.ts';
import type { CheckoutSession, Invoice, StripeObject } from '../objects.ts';
import type { AccountData } from '../state.ts';
import { invalidRequest } from './errors.ts';
import { partsOf, referenced } from './expandable.ts';
import { present, presentList, type Wire } from './present.ts';

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

function listOf<T extends StripeObject>(url: string, all: T[], data: AccountData, keep: (one: T) => boolean): Wire {
  const kept = all.filter(keep).reverse();
  return presentList(
    url,
    kept.slice(0, 10).map((one) => present(one, data)),
    kept.length > 10,
  );
}

/** `data` counts as a level: Stripe rejects `data.payments.data.payment.charge`. */
const MAX_DEPTH = 4;

/**
 * Validates the `expand[]` paths for a response of this kind, before any effect.
 * @throws Refusal
 */
export function checkExpand(paths: string[], answer: string | undefined): void {
  for (const path of paths) {
    const segments = path.split('.');
    if (segments.length > MAX_DEPTH)
      throw invalidRequest(`You cannot expand more than ${MAX_DEPTH} levels of a property. Property: ${path}`);
    let what = answer ?? '';
    for (const [index, name] of segments.entries()) {
      const part = Object.entries(partsOf(what) ?? {}).find(([known]) => known === name)?.[1];
      const last = index === segments.length - 1;
      if (part === undefined || (last && !/^[*+]/.test(part))) throw refusal(path);
      what = part.replace(/^[*+]/, '').replace('checkout_session', 'checkout.session');
    }
  }
}

const refusal = (path: string) => invalidRequest(`This property cannot be expanded (${path}).`, { param: 'expand' });

/** Replaces ids with objects in place along each `expand[]` path. The paths are validated by `checkExpand`. */
export function expand(root: Wire, paths: string[], data: AccountData, answer: string | undefined): Wire {
  for (const path of paths) walk(root, answer ?? '', path.split('.'), data);
  return root;
}

function walk(node: Wire, what: string, [name, ...rest]: string[], data: AccountData): void {
  const part = name === undefined ? undefined : partsOf(what)?.[name];
  if (name === undefined || part === undefined) return;
  const include = INCLUDABLE[`${what}.${name}`];
  if (include && node[name] === undefined) node[name] = include(String(node.id), data);
  const kind = referenced(part);
  const resolve = (value: unknown) => {
    const found: StripeObject | undefined = kind && typeof value === 'string' ? data.objects[kind][value] : undefined;
    return found ? present(found, data) : value;
  };
  const value = node[name];
  if (value === undefined) return;
  node[name] = Array.isArray(value) ? value.map(resolve) : resolve(value);
  for (const child of [node[name]].flat())
    if (child && typeof child === 'object') walk(child as Wire, part.replace(/^[*+]/, ''), rest, data);
}
