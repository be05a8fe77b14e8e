import type * as objects from './objects.ts';

/** Everything kept for one account, the platform's or a connected one. */
export interface Collections {
  product: objects.Product;
  price: objects.Price;
  customer: objects.Customer;
  coupon: objects.Coupon;
  promotion_code: objects.PromotionCode;
  discount: objects.Discount;
  subscription: objects.Subscription;
  invoice: objects.Invoice;
  payment_intent: objects.PaymentIntent;
  setup_intent: objects.SetupIntent;
  payment_method: objects.PaymentMethod;
  charge: objects.StripeObject;
  checkout_session: objects.CheckoutSession;
  test_clock: objects.TestClock;
  webhook_endpoint: objects.WebhookEndpoint;
  event: objects.StripeEvent;
}

export type Kind = keyof Collections;

export interface SavedAnswer {
  fingerprint: string;
  path: string;
  status: number;
  body: unknown;
  savedAt: number;
}

export interface AccountData {
  account: objects.Account;
  /** By id, oldest first. */
  objects: { [K in Kind]: Record<string, Collections[K]> };
  idempotency: Record<string, SavedAnswer>;
}

export interface StripeState {
  platform: string;
  accounts: Record<string, AccountData>;
}

const KINDS: Kind[] = [
  'product',
  'price',
  'customer',
  'coupon',
  'promotion_code',
  'discount',
  'subscription',
  'invoice',
  'payment_intent',
  'setup_intent',
  'payment_method',
  'charge',
  'checkout_session',
  'test_clock',
  'webhook_endpoint',
  'event',
];

export function newAccountData(account: objects.Account): AccountData {
  const collections = Object.fromEntries(KINDS.map((kind) => [kind, {}])) as AccountData['objects'];
  return { account, objects: collections, idempotency: {} };
}
