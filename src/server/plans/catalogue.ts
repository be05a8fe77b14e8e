import type { AuditAction } from '#contract/audit-actions.ts';
import type { PlanView } from '#contract/subscriptions.ts';
import type { Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import { apiError, CarelaneError, type Fault, notFound } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { findAccountCurrency, getStripeAccount, TRIAL_KEY } from '#server/integrations/index.ts';
import type { Price } from '#server/providers/stripe.ts';
import { StripeRejection } from '#server/providers/stripe-errors.ts';
import { invalidatePlans } from './plan.ts';

const FALLBACK_CURRENCY = 'usd';
const PART_LENGTH = 16;

/** A price that patients can subscribe to. Its product may have been archived at Stripe. */
export const isOffered = ({ active, product }: Price): boolean => active && product.active;

/** One amount for each period: what a new price with another amount can replace without losing anything. */
export const hasOneAmount = ({ unit_amount, billing_scheme, transform_quantity, recurring }: Price): boolean =>
  typeof unit_amount === 'number' &&
  billing_scheme !== 'tiered' &&
  !transform_quantity &&
  recurring?.usage_type !== 'metered';

const part = (state: unknown[]) => sha256(JSON.stringify(state)).slice(0, PART_LENGTH);
const productPart = ({ product: { name, description } }: Price) => part([name, description ?? null]);
const pricePart = ({ nickname, metadata }: Price) => part([nickname ?? null, metadata[TRIAL_KEY] ?? null]);

/** Changes with the details of a plan: two parts, because two calls change them at Stripe. */
export const versionOf = (price: Price): string => `${productPart(price)}.${pricePart(price)}`;

/**
 * Which parts of a plan have changed since the caller read it. One that is as the caller wants it may be from an earlier
 * try of the same request.
 */
export function changesSince(price: Price, version: string): { product: boolean; price: boolean } {
  const [product, ofPrice] = version.split('.');
  return { product: product !== productPart(price), price: ofPrice !== pricePart(price) };
}

export const planChanged = () =>
  apiError('conflict', 'Someone else has changed this plan. Close this, and look at it again.');

/** Currencies of new prices: the account's own first, then those of the plans on offer. */
export async function currenciesOf(ctx: Context, offered: Pick<PlanView, 'currency'>[]): Promise<string[]> {
  const own = (await findAccountCurrency(ctx)) ?? FALLBACK_CURRENCY;
  return [...new Set([own, ...offered.map(({ currency }) => currency)])];
}

/** @throws `invalid_parameter` for a currency that the account and its plans do not have */
export function assertCurrency(currency: string, currencies: string[]): void {
  if (currencies.includes(currency)) return;
  const names = currencies.map((code) => code.toUpperCase()).join(' or ');
  throw apiError('invalid_parameter', `Choose ${names}.`, { source: { pointer: '/currency' } });
}

/** The connected account with its catalogue at Stripe. */
export async function openCatalogue(ctx: Context) {
  const accountId = await getStripeAccount(ctx);
  const client = ctx.providers.stripeClient(ctx);
  return { accountId, client, catalogue: client.catalogue(accountId) };
}
export type Catalogue = Awaited<ReturnType<typeof openCatalogue>>;

/** Reads a plan from Stripe, also an archived one. @throws `not_found` */
export async function readPlan({ accountId, client }: Catalogue, priceId: string): Promise<Price> {
  try {
    const price = await client.getPrice(accountId, priceId);
    if (price.recurring) return price;
  } catch (error) {
    if (!(error instanceof StripeRejection && error.reason === 'resource_missing')) throw error;
  }
  throw notFound('plan');
}

type PlanChange = {
  action: AuditAction;
  type: 'Plan' | 'PromotionCode';
  id: string;
  /** A plan's name or a code's text at that time. */
  name: string;
  details?: Record<string, unknown>;
  /** It happens to the object once: a repeated request adds no entry. */
  isOnce?: true;
};

/**
 * Runs a change at Stripe, and records what `done` was last called with, also where a later call fails. The cached plans
 * are outdated from then on, also where the outcome of a call is unknown.
 */
export async function changeCatalogue(
  ctx: Context,
  run: (done: (change: PlanChange) => void) => Promise<void>,
): Promise<void> {
  const changes: PlanChange[] = [];
  try {
    await run((change) => changes.push(change));
  } catch (error) {
    throw error instanceof StripeRejection ? toFieldError(error) : error;
  } finally {
    await invalidatePlans(ctx);
    const change = changes.at(-1);
    if (change) await recordChange(ctx, change);
  }
}

async function recordChange(ctx: Context, { action, type, id, name, details, isOnce }: PlanChange): Promise<void> {
  const { db, tenantId } = ctx;
  await db.$transaction(async (tx) => {
    if (isOnce) {
      await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`catalogue:${tenantId}:${id}`}, 0))`;
      const same = { path: ['new_price_id'], equals: details?.new_price_id as string };
      const entry = { tenantId, action, objectType: type, objectId: id, ...(details && { details: same }) };
      if ((await tx.auditEntry.count({ where: entry })) > 0) return;
    }
    await record(tx, ctx, { action, object: { type, id }, details: { name, ...details } });
  });
}

/** The field of a form for a parameter that Stripe rejected, and what to do about it. */
const REJECTED: [param: RegExp, pointer: string, text: string][] = [
  [/unit_amount/, '/unit_amount', 'Stripe does not take this amount. Choose another.'],
  [/currency/, '/currency', 'Stripe does not take this currency for your account. Choose another.'],
  [/recurring/, '/recurring/interval_count', 'Stripe does not bill at this interval. Choose another.'],
  [/^name/, '/name', 'Stripe does not take this name. Choose another.'],
  [/^description/, '/description', 'Stripe does not take this description. Change it.'],
  [/^nickname/, '/nickname', 'Stripe does not take this label. Change it.'],
  [/^code/, '/code', 'Stripe does not take this code. Choose another.'],
  [/^expires_at/, '/last_day', 'Stripe does not take this day. Choose another.'],
  [/^max_redemptions/, '/max_redemptions', 'Stripe does not take this number. Choose another.'],
  [/percent_off|amount_off/, '/discount', 'Stripe does not take this discount. Choose another.'],
  [/applies_to|products/, '/products', 'One of these plans is not there any more. Choose others.'],
];

function toFieldError(error: StripeRejection): CarelaneError {
  const known = REJECTED.find(([param]) => error.param !== '' && param.test(error.param));
  if (!known || error.reason === 'resource_missing') return error;
  const [, pointer, detail] = known;
  const fault: Fault = { code: 'invalid_parameter', detail, source: { pointer } };
  return new CarelaneError(fault, { cause: error });
}
