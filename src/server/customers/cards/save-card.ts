import type { CreateSetupIntentInput, ListSetupIntentsInput, SetupIntentView } from '#contract/cards.ts';
import { isStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { paymentClientOf } from '#server/integrations/index.ts';
import { assertInCare, listMerged } from '#server/patients/index.ts';
import type { CardSetup } from '#server/providers/stripe.ts';
import { retryReplayedFailure, StripeRejection } from '#server/providers/stripe-errors.ts';
import { ensureCustomer, markCustomerDeleted } from '../customer.ts';
import { type CardOwner, getCardOwner, listUnlessDeleted } from './card-owner.ts';

/**
 * Starts saving a card of a patient, before a trial or in addition to other cards; charges nothing. Stripe.js completes
 * it with the client secret. Idempotent per Idempotency-Key.
 */
export async function startCardSetup(ctx: Context, input: CreateSetupIntentInput): Promise<SetupIntentView> {
  const owner = await getCardOwner(ctx, input.patient_id, 'subscriptions:write');
  assertInCare(owner.patient);
  const { accountId, patient } = owner;
  const start = async () => {
    const customerId = await ensureCustomer(ctx, patient, accountId);
    const key = ctx.keyed && `carelane-setup-${ctx.keyed.id}-${customerId}`;
    const begin = (one: string | null) =>
      ctx.providers.stripeClient(ctx).cards.startSetup(accountId, customerId, patient.id, one);
    const starting = key ? retryReplayedFailure(key, begin) : begin(null);
    return { customerId, setup: await starting.catch((error: unknown) => error as Error) };
  };
  let { customerId, setup } = await start();
  // The customer may have been deleted at Stripe without a webhook.
  if (setup instanceof StripeRejection && setup.param === 'customer' && setup.reason === 'resource_missing') {
    await markCustomerDeleted(ctx, accountId, customerId);
    ({ customerId, setup } = await start());
  }
  if (setup instanceof Error) throw setup;
  const secret = isStaff(ctx.actor) ? null : setup.client_secret;
  const view = { ...presentSetup(ctx, setup, owner), ...(secret && { client_secret: secret }) };
  await ctx.db.$transaction((tx) =>
    record(tx, ctx, {
      action: 'cards.start_setup',
      object: { type: 'Patient', id: patient.id },
      patientId: patient.id,
      // For a retry under the same key: stored encrypted, and sent in no event.
      payload: view,
      isNews: true,
      details: { setup_intent_id: view.id },
    }),
  );
  return view;
}

/** Lists recent card setups of a patient, newest first. Never with secrets. */
export async function listCardSetups(ctx: Context, input: ListSetupIntentsInput): Promise<SetupIntentView[]> {
  const owner = await getCardOwner(ctx, input.patient_id, 'subscriptions:read');
  const setups = await setupsOf(ctx, owner);
  return setups.map((setup) => presentSetup(ctx, setup, owner));
}

/** Returns the card that one of this patient's setups has saved, or null. */
export async function findCardOfSetup(ctx: Context, patientId: string, setupId: string): Promise<string | null> {
  const setups = await setupsOf(ctx, await getCardOwner(ctx, patientId, 'subscriptions:write'));
  const setup = setups.find(({ id, status }) => id === setupId && status === 'succeeded');
  return setup?.payment_method ?? null;
}

async function setupsOf(ctx: Context, { accountId, customerId, patient }: CardOwner): Promise<CardSetup[]> {
  if (!customerId) return [];
  const { setups } = ctx.providers.stripeClient(ctx).cards;
  const ids = await listMerged(ctx, patient.id);
  return listUnlessDeleted(ctx, { accountId, customerId }, (account, customer) => setups(account, customer, ids));
}

const presentSetup = (
  { config }: Context,
  { id, status, payment_method, created }: CardSetup,
  { accountId, patient }: CardOwner,
): SetupIntentView => ({
  id,
  patient_id: patient.id,
  status,
  payment_method_id: payment_method,
  payment_client: paymentClientOf(config, accountId),
  created_at: created.toISOString(),
});
