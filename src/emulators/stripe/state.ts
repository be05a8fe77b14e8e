import type * as objects from './objects.ts';

/** The collections of one account, the platform's or a connected one. */
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
  charge: objects.Charge;
  refund: objects.Refund;
  dispute: objects.Dispute;
  checkout_session: objects.CheckoutSession;
  test_clock: objects.TestClock;
  webhook_endpoint: objects.WebhookEndpoint;
  event: objects.StripeEvent;
}

export type Kind = keyof Collections;

export interface SavedResponse {
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
  idempotency: Record<string, SavedResponse>;
}

/** Which webhooks to drop; dropped ones are not retried. */
export interface Dropping {
  /** Exactly one applies: all, a share drawn from `seed`, or the next n. */
  all?: boolean;
  share?: number;
  seed: number;
  next?: number;
  /** Limits dropping to these event types (`invoice.*` matches the whole kind). */
  types?: string[];
  /** The number of draws so far. */
  drawn: number;
  dropped: { account: string; event: string; type: string }[];
}

export interface RolledSecret {
  secret: string;
  previous?: { secret: string; until: number };
}

export interface StripeState {
  platform: string;
  accounts: Record<string, AccountData>;
  dropping?: Dropping;
  /** Rolled signing secrets, by the endpoint's key id. */
  rolled?: Record<string, RolledSecret>;
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
  'refund',
  'dispute',
  'checkout_session',
  'test_clock',
  'webhook_endpoint',
  'event',
];

/** Adds collections that are missing because the account was stored by an earlier version. */
export function withAllKinds(data: AccountData): AccountData {
  const collections: Record<string, object> = data.objects;
  for (const kind of KINDS) collections[kind] ??= {};
  return data;
}

export function newAccountData(account: objects.Account): AccountData {
  const collections = Object.fromEntries(KINDS.map((kind) => [kind, {}])) as AccountData['objects'];
  return { account, objects: collections, idempotency: {} };
}
