import type { Subscription } from '#generated/prisma/client.ts';
import { DAY, HOUR } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError, type ErrorCode } from '#server/core/errors.ts';
import { enqueue } from '#server/core/jobs.ts';
import { contactOf, listOutdatedCustomers, markCustomerDeleted } from '#server/customers/index.ts';
import { inspectStripe, recordStripeRepair, saveCheck, saveUnknownSubscription } from '#server/integrations/index.ts';
import { queueCustomerUpdate } from '#server/patients/index.ts';
import { loadPlans } from '#server/plans/index.ts';
import { StripeRejection } from '#server/providers/stripe-errors.ts';
import { type ListedCustomer, type ListedSubscription, PAGE } from '#server/providers/stripe-lists.ts';
import {
  changedFacts,
  ENDED,
  type Facts,
  factsOf,
  subscriptionColumns,
  syncPayments,
} from '#server/subscriptions/index.ts';
import type { Step } from './step.ts';

/** Maximum number of subscriptions per comparison that are read because their last bill differs. */
const MAX_BEHIND = 10;
/** Refunds and disputes older than this are not listed. */
const LOOK_BACK = 30 * DAY;
/** Covers clock differences. */
const OVERLAP = HOUR;
/** Errors of the whole account or of the connection: the step ends, and the next comparison tries again. */
const STOPPING = new Set<ErrorCode>(['integration_not_connected', 'provider_unavailable', 'provider_timeout']);

/**
 * Finds payments, refunds and disputes that neither a webhook nor the list of events has reported: compares the
 * account's refunds and disputes since the last comparison, and the last bill of each subscription, with the stored
 * rows.
 */
async function comparePayments(step: Step): Promise<void> {
  const comparedAt = new Date(step.ctx.clock.now().getTime() - step.stepMs);
  const reversed = await findMissedReversals(step);
  let isComplete = true;
  for (const id of new Set([...reversed, ...(await findMissedBills(step))])) {
    const isRead = await readPayments(step, id);
    if (!isRead && reversed.includes(id)) isComplete = false;
    await step.save({});
  }
  if (isComplete) await step.save({ paymentsComparedAt: comparedAt });
}

/**
 * Returns false when Stripe rejects the read or its response is invalid; the subscription then moves to the end of the
 * queue.
 */
async function readPayments({ ctx }: Step, id: string): Promise<boolean> {
  try {
    await syncPayments(ctx, id, { found: 'comparison' });
    return true;
  } catch (error) {
    if (!(error instanceof CarelaneError) || STOPPING.has(error.code)) throw error;
    const { tenantId } = ctx;
    ctx.log.warn({ tenantId, subscription: id, err: error.message }, 'the payments of a subscription cannot be read');
    await ctx.db.$executeRaw`
      update subscriptions set payments_checked_at = ${ctx.clock.now()}::timestamptz
      where tenant_id = ${tenantId}::uuid and id = ${id}`;
    return false;
  }
}

/** Subscriptions with a refund or dispute that the stored rows lack or have with another status. */
async function findMissedReversals({ ctx, accountId, state, stepMs }: Step): Promise<string[]> {
  const now = ctx.clock.now().getTime();
  const from = Math.max((state.paymentsComparedAt?.getTime() ?? 0) - OVERLAP, now - LOOK_BACK);
  const listed = await ctx.providers.stripeClient(ctx).payments(accountId).reversalsSince(new Date(from));
  // The webhook of the latest ones may be on its way.
  const settled = listed.filter(({ createdAt }) => createdAt.getTime() <= now - stepMs);
  const rows = await ctx.db.payment.findMany({
    where: {
      tenantId: ctx.tenantId,
      accountId,
      paymentIntentIds: { hasSome: settled.map(({ paymentIntentId }) => paymentIntentId) },
    },
  });
  return rows
    .filter(({ paymentIntentIds, refunds, disputes }) => {
      const stored = [refunds, disputes].flat() as { id: string; status: string }[];
      return settled.some(
        (one) =>
          paymentIntentIds.includes(one.paymentIntentId) &&
          !stored.some(({ id, status }) => id === one.id && status === one.status),
      );
    })
    .map(({ subscriptionId }) => subscriptionId);
}

/**
 * Subscriptions whose last bill is missing or has another status, least recently checked first. An ended one is checked
 * once.
 */
async function findMissedBills({ ctx, accountId, stepMs }: Step): Promise<string[]> {
  const settled = new Date(ctx.clock.now().getTime() - stepMs);
  const rows = await ctx.db.$queryRaw<{ id: string }[]>`
    select s.id from subscriptions s
    left join payments p on p.tenant_id = s.tenant_id and p.id = s.latest_invoice->>'id'
    where s.tenant_id = ${ctx.tenantId}::uuid and s.account_id = ${accountId}
      and (s.latest_invoice->>'amount_due')::bigint > 0 and s.latest_invoice->>'status' <> 'draft'
      and p.status is distinct from s.latest_invoice->>'status'
      and s.updated_at <= ${settled}::timestamptz
      and (s.payments_checked_at is null or s.payments_checked_at < s.checked_at)
    order by s.payments_checked_at nulls first, s.id limit ${MAX_BEHIND}`;
  return rows.map(({ id }) => id);
}

/** Number of steps that a comparison takes, and number of steps after which the next one starts. */
const STEPS_A_PASS = 8;
const STEPS_BETWEEN = 9;
/** Maximum number of unlisted subscriptions that are read per step. */
const MAX_MISSING = 1000;

/** Continues the comparison of an account's subscriptions, or starts a new one when it is due. */
export async function compareSubscriptions(step: Step): Promise<void> {
  if (!isRunning(step)) {
    if (!isDue(step)) return;
    await beginPass(step);
  }
  const { ctx, accountId } = step;
  const names = await namesOf(step);
  const pages = await pagesAStep(step);
  for (let page = 0; page < pages; page++) {
    const readAt = ctx.clock.now();
    const listed = await ctx.providers
      .stripeClient(ctx)
      .lists.subscriptions(accountId, step.state.passAfter)
      .catch((error: unknown) => {
        // The subscription at the cursor no longer exists.
        if (error instanceof StripeRejection && error.reason === 'resource_missing') return null;
        throw error;
      });
    if (!listed) return step.save({ passStartedAt: null, passAfter: null });
    const different = await compareListed(ctx, accountId, { items: listed.items, readAt, names });
    await queueJobs(step, different);
    await step.save({
      passAfter: listed.last ?? step.state.passAfter,
      passPages: { increment: 1 },
      compared: { increment: listed.items.length },
      differing: { increment: different.subscriptions.length + different.patients.length },
    });
    if (!listed.hasMore) return endPass(step);
  }
}

const isRunning = ({ state: { passStartedAt, passEndedAt } }: Step): boolean =>
  passStartedAt !== null && (passEndedAt === null || passEndedAt < passStartedAt);

const isDue = ({ ctx, state: { passStartedAt }, stepMs }: Step): boolean =>
  passStartedAt === null || ctx.clock.now().getTime() - passStartedAt.getTime() >= (STEPS_BETWEEN - 0.5) * stepMs;

/** The account and its prices are inspected once per comparison; problems become findings. */
async function beginPass(step: Step): Promise<void> {
  const { ctx, accountId } = step;
  await saveCheck(ctx, 'stripe', await inspectStripe(ctx, accountId));
  await loadPlans(ctx, accountId, { skipCache: true });
  const passStartedAt = ctx.clock.now();
  await step.save({ passStartedAt, passAfter: null, passPages: 0, compared: 0, differing: 0 });
  // After the pass has started, so that an error with payments delays the pages by one step only.
  await comparePayments(step);
}

/** Product names by price, which lists of subscriptions leave out. */
async function namesOf({ ctx, accountId }: Step): Promise<Map<string, string>> {
  const plans = await loadPlans(ctx, accountId);
  return new Map(plans.map(({ price_id, name }) => [price_id, name]));
}

async function pagesAStep({ ctx: { db, tenantId }, accountId }: Step): Promise<number> {
  const where = { tenantId, accountId };
  // Stripe's list leaves out canceled ones only; it includes those that expired unpaid.
  const stored = await db.subscription.count({ where: { ...where, status: { not: 'canceled' } } });
  const unknown = await db.unknownSubscription.count({ where });
  return Math.ceil(Math.ceil((stored + unknown + 1) / PAGE) / STEPS_A_PASS);
}

/** Subscriptions that Stripe did not list have ended or are gone: each is read singly. */
async function endPass(step: Step): Promise<void> {
  const { ctx, accountId } = step;
  const { passStartedAt } = step.state;
  if (!passStartedAt) throw new Error('no comparison is running');
  const unseen = await ctx.db.subscription.findMany({
    where: {
      tenantId: ctx.tenantId,
      accountId,
      status: { notIn: ENDED },
      createdAt: { lt: passStartedAt },
      OR: [{ checkedAt: null }, { checkedAt: { lt: passStartedAt } }],
    },
    select: { id: true },
    take: MAX_MISSING,
  });
  const patients = await listOutdatedCustomers(ctx, accountId);
  await queueJobs(step, { subscriptions: unseen.map(({ id }) => id), patients });
  await ctx.db.unknownSubscription.deleteMany({
    where: { tenantId: ctx.tenantId, accountId, seenAt: { lt: passStartedAt } },
  });
  await step.save({ passEndedAt: ctx.clock.now(), passAfter: null });
}

/**
 * Queues a job for each difference. Delayed by one step, because the webhook may be on its way, and spaced so that the
 * jobs stay within the request rate of the comparison.
 */
async function queueJobs({ ctx, state, stepMs }: Step, { subscriptions, patients }: Different): Promise<void> {
  const { tenantId, db } = ctx;
  const { passStartedAt } = state;
  if (!passStartedAt) throw new Error('no comparison is running');
  const spacingMs = 10_000 / ctx.config.stripe.requestsPerSecond;
  let at = Math.max(ctx.clock.now().getTime() + stepMs, passStartedAt.getTime() + state.differing * spacingMs);
  const next = () => {
    const runAt = new Date(at);
    at += spacingMs;
    return runAt;
  };
  for (const subscriptionId of subscriptions) {
    const key = `refresh_subscription:${subscriptionId}`;
    const job = { tenantId, subscriptionId, found: 'comparison' as const };
    await enqueue(db, 'refresh_subscription', job, { runAt: next(), key, keepEarlier: true });
  }
  for (const patientId of patients) await db.$transaction((tx) => queueCustomerUpdate(tx, ctx, patientId, next()));
}

/** Subscriptions that have to be read, and patients whose contact data differs at Stripe. */
type Different = { subscriptions: string[]; patients: string[] };
type Listed = { items: ListedSubscription[]; readAt: Date; names: Map<string, string> };

/** Compares a page of Stripe's list with the stored rows. Marks equal ones as checked, and notes deleted customers. */
async function compareListed(ctx: Context, accountId: string, listed: Listed): Promise<Different> {
  const { tenantId, db } = ctx;
  const { items, readAt, names } = listed;
  const rows = await db.subscription.findMany({ where: { tenantId, id: { in: items.map(({ live }) => live.id) } } });
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  const customers = await db.processorCustomer.findMany({
    where: { tenantId, accountId, customerId: { in: items.map(({ customer }) => customer.id) } },
  });
  const patientOf = new Map(customers.map(({ customerId, patientId }) => [customerId, patientId]));

  const same: string[] = [];
  const differing: string[] = [];
  for (const { live, customer } of items) {
    const row = rowsById.get(live.id);
    if (row) (differs(row, live, names) ? differing : same).push(live.id);
    else if (patientOf.has(customer.id)) differing.push(live.id);
    else await saveUnknownSubscription(ctx, accountId, { ...live, name: nameOf(live, names) });
  }
  if (same.length > 0)
    await db.$executeRaw`
      update subscriptions set checked_at = ${readAt}::timestamptz
      where tenant_id = ${tenantId}::uuid and id = any(${same}::text[])
        and (checked_at is null or checked_at < ${readAt}::timestamptz)`;
  await storePaymentMethods(
    ctx,
    items.flatMap(({ live }) => (rowsById.get(live.id)?.paymentMethodKnown === false ? [live] : [])),
  );
  const customersById = new Map(items.map(({ customer }) => [customer.id, customer]));
  return { subscriptions: differing, patients: await compareCustomers(ctx, accountId, customersById, patientOf) };
}

/** Stores the payment methods of subscriptions for which they were unknown: neither a change nor a repair. */
async function storePaymentMethods(ctx: Context, unknownMethods: ListedSubscription['live'][]): Promise<void> {
  if (unknownMethods.length === 0) return;
  const columns = JSON.stringify(
    unknownMethods.map((live) => ({ id: live.id, method: subscriptionColumns(live).paymentMethod })),
  );
  await ctx.db.$executeRaw`
    update subscriptions s set payment_method_known = true, payment_method = nullif(one.method, 'null'::jsonb)
    from jsonb_to_recordset(${columns}::jsonb) as one(id text, method jsonb)
    where s.tenant_id = ${ctx.tenantId}::uuid and s.id = one.id and not s.payment_method_known`;
}

const nameOf = ({ items }: ListedSubscription['live'], names: Map<string, string>): string | null => {
  const all = items.map(({ priceId }) => names.get(priceId));
  return all.includes(undefined) ? null : [...new Set(all)].filter(Boolean).join(' + ') || null;
};

/** A list has no product names, except for offered prices, nor the payment status of an open invoice. */
function differs(row: Subscription, live: ListedSubscription['live'], names: Map<string, string>): boolean {
  const columns = subscriptionColumns(live);
  const before = factsOf(row);
  const name = nameOf(live, names) ?? before.name;
  const paymentMethod = row.paymentMethodKnown ? columns.paymentMethod : before.paymentMethod;
  return (
    changedFacts(withoutPaymentStatus(before), withoutPaymentStatus({ ...columns, name, paymentMethod })).length > 0
  );
}

const withoutPaymentStatus = (facts: Facts): Facts =>
  ({
    ...Object.fromEntries(Object.entries(facts)),
    ...(facts.latestInvoice && {
      latestInvoice: {
        ...facts.latestInvoice,
        payment_intent: facts.latestInvoice.payment_intent && { id: facts.latestInvoice.payment_intent.id, status: '' },
      },
    }),
  }) as Facts;

async function compareCustomers(
  ctx: Context,
  accountId: string,
  customersById: Map<string, ListedCustomer>,
  patientOf: Map<string, string>,
): Promise<string[]> {
  const patients = await ctx.db.patient.findMany({
    where: { tenantId: ctx.tenantId, id: { in: [...patientOf.values()] } },
    select: { id: true, firstName: true, lastName: true, email: true, phoneNumber: true },
  });
  const byId = new Map(patients.map((patient) => [patient.id, patient]));
  const outdated: string[] = [];
  for (const [customerId, patientId] of patientOf) {
    const customer = customersById.get(customerId)!;
    const patient = byId.get(patientId);
    if (customer.deleted) {
      if (await markCustomerDeleted(ctx, accountId, customerId))
        await ctx.db.$transaction((tx) =>
          recordStripeRepair(tx, ctx, {
            accountId,
            objectId: customerId,
            foundBy: 'comparison',
            what: 'customer_deleted',
          }),
        );
    } else if (patient && !hasContact(customer, contactOf(patient))) outdated.push(patientId);
  }
  return outdated;
}

const hasContact = (customer: ListedCustomer, contact: ReturnType<typeof contactOf>): boolean =>
  (['name', 'email', 'phone'] as const).every((field) => (customer[field] || null) === (contact[field] || null));
