import type { World } from '../core/route.ts';
import type * as objects from './objects.ts';
import type { StripeObject } from './objects.ts';
import type { StripeEmulatorOptions } from './options.ts';

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

/**
 * Returns the data of a known account.
 * @throws Error when it is unknown, which is a bug of the emulator
 */
export function accountData({ accounts }: StripeState, id: string): AccountData {
  const data = accounts[id];
  if (!data) throw new Error(`No stored account ${id}`);
  return data;
}

/**
 * Returns an object that another one refers to by its id.
 * @throws Error when it is missing, which is a bug of the emulator
 */
export function stored<K extends Kind>({ objects }: AccountData, kind: K, id: string | null): Collections[K] {
  const object = id === null ? undefined : objects[kind][id];
  if (!object) throw new Error(`No stored ${kind} ${id}`);
  return object;
}

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

/** The request that caused a change; null for automatic changes (renewals, expiries). */
export interface Cause {
  requestId: string;
  idempotencyKey: string | null;
}

/** One account's objects, with Stripe's time and event log. */
export interface Ledger {
  accountId: string;
  data: AccountData;
  options: StripeEmulatorOptions;
  world: World<StripeState>;
  cause: Cause | null;
  /** Seconds since 1970: the customer's test clock if there is one, else the emulator's clock; or a fixed instant. */
  now(customer?: string | null): number;
  /**
   * Returns the object.
   * @throws ErrorReply Stripe's "No such …" naming `param` (404 for the path's own `id`, else 400)
   */
  find<K extends Kind>(kind: K, id: string, param: string): Collections[K];
  all<K extends Kind>(kind: K): Collections[K][];
  put<K extends Kind>(kind: K, object: Collections[K]): Collections[K];
  emit(type: string, object: StripeObject, previous?: Record<string, unknown>): void;
  /** Changes an object; emits `type` with `previous_attributes` when a visible field changed. */
  change<T extends StripeObject>(type: string, object: T, mutate: (object: T) => void): T;
}
