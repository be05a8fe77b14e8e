import { ENDED_STATUSES } from '#contract/subscription-status.ts';
import type { Patient } from '#generated/prisma/client.ts';
import { asService, type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { record } from '#server/core/record.ts';
import { findStripeAccount } from '#server/integrations/index.ts';
import { listMerged, queueCustomerUpdate } from '#server/patients/index.ts';
import { retryReplayedFailure, StripeRejection } from '#server/providers/stripe-errors.ts';

/**
 * Returns the patient's customer at Stripe, creating it on first use. The idempotency key is derived from patient and
 * account, the parameters never vary and the row is unique, so concurrent calls create one customer. A customer that
 * was deleted at Stripe is replaced under a new key.
 */
export async function ensureCustomer(ctx: Context, patient: Pick<Patient, 'id'>, accountId: string): Promise<string> {
  const id = { tenantId: ctx.tenantId, patientId: patient.id, accountId };
  const stored = await ctx.db.processorCustomer.findFirst({ where: id });
  if (stored && !stored.deletedAt) return stored.customerId;
  const key = `carelane-customer-${patient.id}-${accountId}${stored ? `-after-${stored.customerId}` : ''}`;
  const created = await retryReplayedFailure(key, (one) =>
    ctx.providers.stripeClient(ctx).createCustomer(accountId, patient.id, one),
  );
  await ctx.db.$transaction(async (tx) => {
    const row = { ...id, customerId: created.id };
    const { count } = stored
      ? await tx.processorCustomer.updateMany({
          where: { ...id, customerId: stored.customerId },
          data: { customerId: created.id, deletedAt: null },
        })
      : await tx.processorCustomer.createMany({ data: [row], skipDuplicates: true });
    // Name and address appear on receipts only.
    if (count > 0) await queueCustomerUpdate(tx, ctx, patient.id);
  });
  return (await ctx.db.processorCustomer.findFirstOrThrow({ where: id })).customerId;
}

/**
 * Notes that a customer was deleted at Stripe, which ended its subscriptions there. Returns false when it was noted
 * already.
 */
export async function markCustomerDeleted(ctx: Context, accountId: string, customerId: string): Promise<boolean> {
  const where = { tenantId: ctx.tenantId, accountId, customerId, deletedAt: null };
  return ctx.db.$transaction(async (tx) => {
    const [deleted] = await tx.processorCustomer.updateManyAndReturn({ where, data: { deletedAt: ctx.clock.now() } });
    if (!deleted) return false;
    await record(tx, asService(ctx, 'sync_customer'), {
      action: 'subscriptions.delete_customer',
      object: { type: 'Patient', id: deleted.patientId },
      patientId: deleted.patientId,
      isNews: true,
      details: { customer_id: customerId },
    });
    return true;
  });
}

/**
 * Makes the card that the patient saved for a trial the customer's default when none is set: Stripe charges only the
 * default automatically.
 */
export async function setSavedCardAsDefault(
  ctx: Context,
  { accountId, customerId, patientId }: { accountId: string; customerId: string; patientId: string },
): Promise<void> {
  const stripe = ctx.providers.stripeClient(ctx).cards;
  try {
    const setups = await stripe.setups(accountId, customerId, await listMerged(ctx, patientId));
    const saved = setups.flatMap((one) => (one.status === 'succeeded' && one.payment_method) || []);
    if (saved.length === 0 || (await stripe.defaultOf(accountId, customerId))) return;
    const cards = await stripe.list(accountId, customerId);
    const card = saved.find((id) => cards.some((one) => one.id === id));
    if (card) await stripe.setDefault(accountId, customerId, card);
  } catch (error) {
    // When the customer is gone, the create reports it.
    if (!(error instanceof StripeRejection)) throw error;
  }
}

type Contact = { name: string | null; email: string | null; phone: string | null };

/** The contact data on receipts. */
export const contactOf = ({
  firstName,
  lastName,
  email,
  phoneNumber,
}: Pick<Patient, 'firstName' | 'lastName' | 'email' | 'phoneNumber'>): Contact => ({
  name: [firstName, lastName].filter(Boolean).join(' ') || null,
  email,
  phone: phoneNumber,
});

const MAX_ROUNDS = 10;

/**
 * Copies a patient's name, email address and number to their customer at Stripe. Concurrent runs may overtake each
 * other, so each checks afterwards that what it wrote is still current.
 */
export async function updateCustomer(services: Services, job: Jobs['update_customer']): Promise<void> {
  const { tenantId, patientId } = job;
  const pace = job.found ? services.providers.stripePace : null;
  const ctx = { ...systemContext(services, tenantId, 'update_customer'), pace };
  const read = async () => {
    const patient = await ctx.db.patient.findFirst({ where: { tenantId, id: patientId } });
    return patient && contactOf(patient);
  };
  for (const { accountId, customerId } of await connectedCustomersOf(ctx, patientId)) {
    const readAt = ctx.clock.now();
    let contact = await read();
    for (let round = 0; contact && round < MAX_ROUNDS; round++) {
      try {
        await ctx.providers.stripeClient(ctx).updateCustomer(accountId, customerId, { ...contact, patientId });
      } catch (error) {
        if (!(error instanceof StripeRejection) || error.reason !== 'resource_missing') throw error;
        await markCustomerDeleted(ctx, accountId, customerId);
        break;
      }
      const current = await read();
      if (JSON.stringify(current) === JSON.stringify(contact)) break;
      contact = current;
    }
    await ctx.db.processorCustomer.updateMany({ where: { tenantId, patientId, accountId }, data: { toldAt: readAt } });
  }
}

/** At accounts that still grant access. */
async function connectedCustomersOf(ctx: Context, patientId: string) {
  const { tenantId } = ctx;
  const accountId = await findStripeAccount(ctx);
  if (!accountId) return [];
  return ctx.db.processorCustomer.findMany({ where: { tenantId, patientId, accountId, deletedAt: null } });
}

/** Maximum number of patients returned at once. */
const MAX_OUTDATED = 100;

/**
 * Lists patients without a live subscription who were edited since their customer was last updated: no Stripe list of
 * subscriptions contains them. Each edit queues its update; this covers jobs that failed.
 */
export async function listOutdatedCustomers(ctx: Context, accountId: string): Promise<string[]> {
  const { tenantId } = ctx;
  const rows = await ctx.db.$queryRaw<{ id: string }[]>`
    select c.patient_id as id from processor_customers c
    join patients p on p.tenant_id = c.tenant_id and p.id = c.patient_id
    where c.tenant_id = ${tenantId}::uuid and c.account_id = ${accountId} and c.deleted_at is null
      and p.updated_at > c.told_at and not exists (
        select 1 from subscriptions s where s.tenant_id = c.tenant_id and s.patient_id = c.patient_id
          and s.status <> all(${[...ENDED_STATUSES]}::text[]))
    order by p.updated_at limit ${MAX_OUTDATED}::int`;
  return rows.map(({ id }) => id);
}
