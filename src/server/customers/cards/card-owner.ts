import type { PaymentMethodView } from '#contract/cards.ts';
import type { Scope } from '#contract/scopes.ts';
import type { Patient } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { getStripeAccount } from '#server/integrations/index.ts';
import { loadPatientFor } from '#server/patients/index.ts';
import type { Card, ChargedSubscription } from '#server/providers/stripe.ts';
import { StripeRejection } from '#server/providers/stripe-errors.ts';
import type { ChargedMethod } from '#server/providers/stripe-subscription.ts';
import { markCustomerDeleted } from '../customer.ts';

export type CardOwner = { patient: Patient; accountId: string; customerId: string | null };

/**
 * Returns the patient whose cards are requested, and their customer at Stripe, if any.
 * @throws `forbidden` (403) when a patient lists cards without naming itself
 */
export async function getCardOwner(ctx: Context, patientId: string | undefined, scope: Scope): Promise<CardOwner> {
  requireScope(ctx.actor, scope);
  const source = { parameter: 'patient_id' };
  if (ctx.actor.kind === 'patient' && scope === 'subscriptions:read' && patientId !== ctx.actor.patientId)
    throw apiError('forbidden', 'A patient lists its own cards only: set patient_id to your own id.', { source });
  if (!patientId) throw apiError('missing_parameter', '"patient_id" is required.', { source });
  const patient = await loadPatientFor(ctx, patientId);
  const accountId = await getStripeAccount(ctx);
  const where = { tenantId: ctx.tenantId, patientId: patient.id, accountId, deletedAt: null };
  const customer = await ctx.db.processorCustomer.findFirst({ where });
  return { patient, accountId, customerId: customer?.customerId ?? null };
}

type Wallet = { cards: Card[]; subscriptions: ChargedSubscription[]; defaultId: string | null };

type Customer = { accountId: string; customerId: string };

/** Reads a customer's list from Stripe; empty, and noted, when the customer was deleted there. */
export async function listUnlessDeleted<T>(
  ctx: Context,
  { accountId, customerId }: Customer,
  list: (accountId: string, customerId: string) => Promise<T[]>,
): Promise<T[]> {
  try {
    return await list(accountId, customerId);
  } catch (error) {
    const isDeleted =
      error instanceof StripeRejection && error.reason === 'resource_missing' && error.param === 'customer';
    if (!isDeleted) throw error;
    await markCustomerDeleted(ctx, accountId, customerId);
    return [];
  }
}

/** Returns a customer's payment methods of any type, the subscriptions charged to them, and the default. */
export async function loadWallet(ctx: Context, { accountId, customerId }: CardOwner): Promise<Wallet> {
  if (!customerId) return { cards: [], subscriptions: [], defaultId: null };
  const stripe = ctx.providers.stripeClient(ctx).cards;
  const cards = await listUnlessDeleted(ctx, { accountId, customerId }, stripe.list);
  if (cards.length === 0) return { cards, subscriptions: [], defaultId: null };
  const [own, subscriptions] = await Promise.all([
    stripe.defaultOf(accountId, customerId),
    stripe.subscriptions(accountId, customerId),
  ]);
  const used = subscriptions.find((one) => one.default_payment_method)?.default_payment_method;
  const existingId = [own, used].find((id) => cards.some((card) => card.id === id));
  return { cards, subscriptions, defaultId: existingId ?? null };
}

/** Returns the method that pays a subscription's next bill, or null. */
export async function findChargedCard(
  ctx: Context,
  { patientId, subscriptionId, accountId }: { patientId: string; subscriptionId: string; accountId: string },
): Promise<Omit<ChargedMethod, 'id'> | null> {
  const where = { tenantId: ctx.tenantId, patientId, accountId, deletedAt: null };
  const customer = await ctx.db.processorCustomer.findFirst({ where });
  if (!customer) return null;
  const stripe = ctx.providers.stripeClient(ctx).cards;
  const [cards, own, subscriptions] = await Promise.all([
    listUnlessDeleted(ctx, customer, stripe.list),
    stripe.defaultOf(accountId, customer.customerId),
    listUnlessDeleted(ctx, customer, stripe.subscriptions),
  ]);
  const paid = subscriptions.find(({ id }) => id === subscriptionId);
  const used = paid && (paid.default_payment_method ?? own);
  const charged = cards.find(({ id }) => id === used);
  if (!charged) return null;
  const { id: _, ...method } = charged.method;
  return method;
}

/**
 * Returns the card.
 * @throws `not_found` when it is not one of this owner's
 */
export function getCard({ cards }: Wallet, id: string): Card {
  const card = cards.find((one) => one.id === id);
  if (!card) throw notFound('payment method');
  return card;
}

/** Makes a card the default and sets it on each subscription that names another. */
export async function chargeAllTo(
  ctx: Context,
  { accountId, customerId }: CardOwner,
  { subscriptions }: Wallet,
  cardId: string,
): Promise<void> {
  if (!customerId) throw new Error('a card has a customer');
  const stripe = ctx.providers.stripeClient(ctx).cards;
  await stripe.setDefault(accountId, customerId, cardId);
  for (const { id, default_payment_method: named } of subscriptions)
    if (named && named !== cardId) await stripe.payWith(accountId, id, cardId);
}

export const presentCard = (card: Card, { patient }: CardOwner, defaultId: string | null): PaymentMethodView => ({
  ...card.method,
  patient_id: patient.id,
  is_default: card.id === defaultId,
  created_at: card.created.toISOString(),
});
