import type { AuditAction } from '#contract/audit-actions.ts';
import type { ArchivePlanInput } from '#contract/plan-changes.ts';
import type { Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import { apiError, CarelaneError, type Fault, notFound } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { findAccountCurrency, getStripeAccount, trialDays } from '#server/integrations/index.ts';
import type { Price } from '#server/providers/stripe.ts';
import { StripeRejection } from '#server/providers/stripe-errors.ts';
import { invalidatePlans } from './plan.ts';

const FALLBACK_CURRENCY = 'usd';
const VERSION_LENGTH = 32;

/** A price that patients can subscribe to. Its product may have been archived at Stripe. */
export const isOffered = ({ active, product }: Price): boolean => active && product.active;

/** Changes with everything that can be changed of a plan. */
export function versionOf({ active, nickname, metadata, product }: Price): string {
  const { name, description } = product;
  const state = [name, description ?? null, product.active, active, nickname ?? null, trialDays(metadata).days];
  return sha256(JSON.stringify(state)).slice(0, VERSION_LENGTH);
}

/** Currencies of new prices: the account's own first, then those of the plans on offer. */
export async function currenciesOf(ctx: Context, prices: Price[]): Promise<string[]> {
  const own = (await findAccountCurrency(ctx)) ?? FALLBACK_CURRENCY;
  const inUse = prices.filter(isOffered).map(({ currency }) => currency);
  return [...new Set([own, ...inUse])];
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
    return await client.getPrice(accountId, priceId);
  } catch (error) {
    throw error instanceof StripeRejection && error.reason === 'resource_missing' ? notFound('plan') : error;
  }
}

/** @throws `conflict` when the plan is not as the caller has read it */
export function assertUnchanged(price: Price, { version }: Pick<ArchivePlanInput, 'version'>): void {
  if (versionOf(price) !== version)
    throw apiError('conflict', 'Someone else has changed this plan. Close this, and look at it again.');
}

type PlanChange = {
  action: AuditAction;
  type: 'Plan' | 'PromotionCode';
  id: string;
  /** A plan's name or a code's text at that time. */
  name: string;
  details?: Record<string, unknown>;
};

/**
 * Runs a change at Stripe and records it. The cached plans are outdated from then on, also where the outcome of a call
 * is unknown.
 */
export async function changeCatalogue(ctx: Context, run: () => Promise<PlanChange | null>): Promise<void> {
  try {
    const change = await run();
    if (!change) return;
    const { action, type, id, name, details } = change;
    await ctx.db.$transaction((tx) => record(tx, ctx, { action, object: { type, id }, details: { name, ...details } }));
  } catch (error) {
    throw error instanceof StripeRejection ? toFieldError(error) : error;
  } finally {
    await invalidatePlans(ctx);
  }
}

/** The field of a form for a parameter that Stripe rejected, and what to do about it. */
const REJECTED: [param: RegExp, pointer: string, text: string][] = [
  [/unit_amount/, '/unit_amount', 'Stripe does not take this amount. Choose another.'],
  [/currency/, '/currency', 'Stripe does not take this currency for your account. Choose another.'],
  [/recurring/, '/recurring/interval_count', 'Stripe does not bill at this interval. Choose another.'],
  [/^name/, '/name', 'Stripe does not take this name. Choose another.'],
  [/^description/, '/description', 'Stripe does not take this description. Change it.'],
  [/^nickname/, '/nickname', 'Stripe does not take this label. Change it.'],
  [/^(code|active)/, '/code', 'There is a valid promotion code with this text already. Choose another.'],
  [/^expires_at/, '/last_day', 'Choose a later day.'],
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
