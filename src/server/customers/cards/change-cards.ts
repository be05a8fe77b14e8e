import { setTimeout as pause } from 'node:timers/promises';
import type { AuditAction } from '#contract/audit-actions.ts';
import type {
  ListPaymentMethodsInput,
  PaymentMethodView,
  RemovePaymentMethodInput,
  SetDefaultPaymentMethodInput,
} from '#contract/cards.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { assertInCare } from '#server/patients/index.ts';
import type { ChargedSubscription } from '#server/providers/stripe.ts';
import { StripeRejection } from '#server/providers/stripe-errors.ts';
import { type CardOwner, chargeAllTo, getCard, getCardOwner, loadWallet, presentCard } from './card-owner.ts';

/** How long a change waits for another change of the same patient's cards. */
const WAIT_MS = 5 * SECOND;
const POLL_MS = 50;

const busy = () =>
  apiError('conflict', 'The cards of this patient are being changed right now. Try again in a moment.');

/** Renews the lease; throws when it was lost. Called before each change at Stripe. */
type RenewLease = () => Promise<void>;

/**
 * Runs `work` under a lease on the patient's cards: Stripe checks one card at a time and would let two concurrent
 * requests remove the last two. A lease, because Stripe is not called inside a transaction; after a crash it blocks
 * other changes for as long as a call may take.
 */
async function holdCards<T>(ctx: Context, owner: CardOwner, work: (renewLease: RenewLease) => Promise<T>): Promise<T> {
  const { accountId, customerId, patient } = owner;
  // Without a customer there are no cards.
  if (!customerId) return work(async () => {});
  const { tenantId, db, clock, config } = ctx;
  const cardsHolder = newId(clock.now());
  const where = { tenantId, patientId: patient.id, accountId };
  // Longer than one call: two attempts and the wait between them.
  const leaseMs = 2 * config.providerTimeoutMs + 5 * SECOND;
  const until = () => new Date(clock.now().getTime() + leaseMs);
  const acquire = () =>
    db.processorCustomer.updateMany({
      where: { ...where, OR: [{ cardsHeldUntil: null }, { cardsHeldUntil: { lt: clock.now() } }] },
      data: { cardsHolder, cardsHeldUntil: until() },
    });
  const deadline = performance.now() + WAIT_MS;
  while ((await acquire()).count === 0) {
    if (performance.now() > deadline) throw busy();
    await pause(POLL_MS);
  }
  try {
    return await work(async () => {
      const { count } = await db.processorCustomer.updateMany({
        where: { ...where, cardsHolder },
        data: { cardsHeldUntil: until() },
      });
      if (count === 0) throw busy();
    });
  } finally {
    await db.processorCustomer.updateMany({
      where: { ...where, cardsHolder },
      data: { cardsHolder: null, cardsHeldUntil: null },
    });
  }
}

/** Lists a patient's payment methods, newest first. */
export async function listCards(ctx: Context, input: ListPaymentMethodsInput): Promise<PaymentMethodView[]> {
  const owner = await getCardOwner(ctx, input.patient_id, 'subscriptions:read');
  const { cards, defaultId } = await loadWallet(ctx, owner);
  return cards.map((card) => presentCard(card, owner, defaultId));
}

/** Makes a card pay all current and future subscriptions of a patient. */
export async function setDefaultCard(ctx: Context, input: SetDefaultPaymentMethodInput): Promise<PaymentMethodView> {
  const owner = await getCardOwner(ctx, input.patient_id, 'subscriptions:write');
  assertInCare(owner.patient);
  const card = await holdCards(ctx, owner, async (renewLease) => {
    const wallet = await loadWallet(ctx, owner);
    const selected = getCard(wallet, input.id);
    await renewLease();
    await chargeAllTo(ctx, owner, wallet, selected.id);
    return selected;
  });
  await recordCardChange(ctx, owner, { action: 'cards.set_default', cardId: card.id });
  return presentCard(card, owner, card.id);
}

/**
 * Removes a card. Another card takes over what it paid.
 * @throws `conflict` (409) for the only card while a payment is still due
 */
export async function removeCard(ctx: Context, input: RemovePaymentMethodInput): Promise<PaymentMethodView> {
  const owner = await getCardOwner(ctx, input.patient_id, 'subscriptions:write');
  const card = await holdCards(ctx, owner, (renewLease) => detachCard(ctx, owner, { id: input.id, renewLease }));
  await recordCardChange(ctx, owner, { action: 'cards.remove', cardId: card.id });
  return presentCard(card, owner, null);
}

async function detachCard(
  ctx: Context,
  owner: CardOwner,
  { id: cardId, renewLease }: { id: string; renewLease: RenewLease },
) {
  const wallet = await loadWallet(ctx, owner);
  const card = getCard(wallet, cardId);
  const others = wallet.cards.filter(({ id }) => id !== card.id);
  const unpaid = wallet.subscriptions.find(willCharge);
  if (others.length === 0 && unpaid)
    throw apiError(
      'conflict',
      'This is the only payment method on file, and a subscription is paid with it. Save another one first.',
      { source: { parameter: 'id' }, meta: { subscription_id: unpaid.id } },
    );
  const isPaidWith =
    wallet.defaultId === card.id || wallet.subscriptions.some((one) => one.default_payment_method === card.id);
  const next = others.find(({ id }) => id === wallet.defaultId) ?? others[0];
  await renewLease();
  if (isPaidWith && next) await chargeAllTo(ctx, owner, wallet, next.id);
  await renewLease();
  await ctx.providers
    .stripeClient(ctx)
    .cards.detach(owner.accountId, card.id)
    .catch((error: unknown) => {
      // A concurrent request has removed it.
      throw error instanceof StripeRejection ? notFound('payment method') : error;
    });
  return card;
}

const DUE_STATUSES = new Set(['past_due', 'unpaid', 'paused']);
/** True when a payment is still due. A subscription that ends before its next bill costs nothing more. */
function willCharge({ status, cancel_at, trial_end, items }: ChargedSubscription): boolean {
  if (DUE_STATUSES.has(status)) return true;
  if (status !== 'active' && status !== 'trialing') return false;
  const next = status === 'trialing' ? trial_end : items.data[0]?.current_period_end;
  return !cancel_at || !next || cancel_at > next;
}

async function recordCardChange(
  ctx: Context,
  { patient }: CardOwner,
  { action, cardId }: { action: AuditAction; cardId: string },
): Promise<void> {
  await ctx.db.$transaction((tx) =>
    record(tx, ctx, {
      action,
      object: { type: 'Patient', id: patient.id },
      patientId: patient.id,
      isNews: true,
      details: { card_id: cardId },
    }),
  );
}
