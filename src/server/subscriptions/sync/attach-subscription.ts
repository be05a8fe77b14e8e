import type { Page } from '#contract/conventions.ts';
import type {
  AttachSubscriptionInput,
  ListUnknownSubscriptionsInput,
  UnknownSubscriptionView,
} from '#contract/integrations.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import type { UnknownSubscription } from '#generated/prisma/client.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { enqueue } from '#server/core/jobs.ts';
import { beyondInstant, readPage } from '#server/core/paging.ts';
import { record } from '#server/core/record.ts';
import { findStripeAccount, getStripeAccount, presentUnknownSubscription } from '#server/integrations/index.ts';
import { assertInCare, loadPatientFor, queueCustomerUpdate } from '#server/patients/index.ts';
import { loadSubscription, presentSubscription } from '../records/subscription.ts';
import { adoptSubscription } from './sync-subscription.ts';

/**
 * Lists subscriptions at the connected account whose customer is no patient here, newest first; without those left
 * alone.
 */
export async function listUnknownSubscriptions(
  ctx: Context,
  input: ListUnknownSubscriptionsInput,
): Promise<Page<UnknownSubscriptionView>> {
  requireAdmin(ctx.actor, 'settings:manage');
  const where = { tenantId: ctx.tenantId, accountId: (await findStripeAccount(ctx)) ?? '', leftAloneAt: null };
  return readPage(
    input,
    {
      what: 'subscription',
      async keyOf(id) {
        const row = await ctx.db.unknownSubscription.findFirst({ where: { ...where, id } });
        return row && { at: row.firstSeenAt, id };
      },
      read({ backwards, limit, offset, beyond }) {
        const direction = backwards ? 'asc' : 'desc';
        return ctx.db.unknownSubscription.findMany({
          where: beyond ? { AND: [where, beyondInstant('firstSeenAt', beyond, backwards)] } : where,
          orderBy: [{ firstSeenAt: direction }, { id: direction }],
          take: limit,
          skip: offset,
        });
      },
      count: (take) => ctx.db.unknownSubscription.count({ where, ...(take && { take }) }),
    },
    presentUnknownSubscription,
  );
}

/**
 * Assigns an unknown Stripe subscription to a patient: its customer becomes the patient's, and all of the customer's
 * subscriptions are stored. Idempotent.
 * @throws `conflict` (409) when the patient is another customer already: cards and bills of two customers cannot be
 * merged
 */
export async function attachSubscription(ctx: Context, input: AttachSubscriptionInput): Promise<SubscriptionView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const patient = await loadPatientFor(ctx, input.patient_id);
  const { tenantId } = ctx;
  const stored = await ctx.db.subscription.findFirst({ where: { tenantId, id: input.id } });
  if (stored?.patientId === patient.id) return presentSubscription(ctx, stored);
  if (stored) throw apiError('conflict', 'This subscription is another patient’s already.');
  assertInCare(patient);
  const accountId = await getStripeAccount(ctx);
  const unknown = await ctx.db.unknownSubscription.findFirst({ where: { tenantId, id: input.id } });
  if (!unknown) throw notFound('subscription');
  if (unknown.accountId !== accountId)
    throw apiError('conflict', 'This subscription is at an account that is not connected any more.');
  await bindCustomer(ctx, unknown, patient.id);
  const live = await ctx.providers.stripeClient(ctx).getSubscription(accountId, unknown.id);
  await adoptSubscription(ctx, live, { accountId, patientId: patient.id, createdByClientId: null, intentId: null });
  return presentSubscription(ctx, await loadSubscription(ctx, unknown.id));
}

/** Assigns the customer to the patient; a job stores the customer's other subscriptions. */
async function bindCustomer(ctx: Context, unknown: UnknownSubscription, patientId: string): Promise<void> {
  const { tenantId } = ctx;
  const { accountId, customerId, id } = unknown;
  await ctx.db.$transaction(async (tx) => {
    // Serialises concurrent requests for the same customer.
    const rows = await tx.$queryRaw<{ id: string }[]>`
      select id from unknown_subscriptions
      where tenant_id = ${tenantId}::uuid and account_id = ${accountId} and customer_id = ${customerId}
      order by id for update`;
    await tx.$queryRaw`
      select 1 from patients where tenant_id = ${tenantId}::uuid and id = ${patientId}::uuid for no key update`;
    const others = await tx.processorCustomer.findFirst({ where: { tenantId, accountId, customerId } });
    if (others?.patientId === patientId) return;
    if (others) throw apiError('conflict', 'This customer is another patient’s already.');
    const own = await tx.processorCustomer.findFirst({ where: { tenantId, accountId, patientId } });
    if (own && !own.deletedAt)
      throw apiError(
        'conflict',
        `This patient is the customer ${own.customerId} at Stripe already. Subscribe them here, and end this subscription at Stripe.`,
        {
          people:
            'This patient is another customer at Stripe already. Start the subscription here, and end the other one at Stripe.',
          source: { pointer: '/patient_id' },
        },
      );
    if (own)
      await tx.processorCustomer.updateMany({
        where: { tenantId, accountId, patientId },
        data: { customerId, deletedAt: null },
      });
    else await tx.processorCustomer.create({ data: { tenantId, accountId, patientId, customerId } });
    await queueCustomerUpdate(tx, ctx, patientId);
    for (const one of rows)
      await enqueue(tx, 'refresh_subscription', { tenantId, subscriptionId: one.id, found: 'comparison' });
    await record(tx, ctx, {
      action: 'subscriptions.attach_customer',
      object: { type: 'Subscription', id },
      patientId,
      details: { customer_id: customerId },
    });
  });
}

/** Hides an unknown subscription from the list; nothing else happens to it. */
export async function ignoreUnknownSubscription(ctx: Context, input: { id: string }): Promise<UnknownSubscriptionView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const { tenantId } = ctx;
  const { id } = input;
  return ctx.db.$transaction(async (tx) => {
    await tx.$queryRaw`
      select 1 from unknown_subscriptions where tenant_id = ${tenantId}::uuid and id = ${id} for update`;
    const row = await tx.unknownSubscription.findFirst({ where: { tenantId, id } });
    if (!row) throw notFound('subscription');
    const view = presentUnknownSubscription(row);
    await tx.unknownSubscription.updateMany({
      where: { tenantId, id, leftAloneAt: null },
      data: { leftAloneAt: ctx.clock.now() },
    });
    await record(tx, ctx, {
      action: 'subscriptions.leave_alone',
      object: { type: 'Subscription', id },
      payload: view,
    });
    return view;
  });
}
