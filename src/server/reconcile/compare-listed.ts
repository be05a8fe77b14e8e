import type { Subscription } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { contactOf, noteDeletedCustomer } from '#server/customers/customer.ts';
import { noteRepair } from '#server/integrations/note-repair.ts';
import { noteUnknown } from '#server/integrations/unknown-subscriptions.ts';
import type { ListedSubscription, SeenCustomer } from '#server/providers/stripe-lists.ts';
import { changedFacts, type Facts, factsOf, subscriptionColumns } from '#server/subscriptions/records/subscription.ts';

/** Subscriptions that have to be read, and patients whose contact data differs at Stripe. */
export type Different = { subscriptions: string[]; patients: string[] };
type Listed = { items: ListedSubscription[]; readAt: Date; names: Map<string, string> };

/** Compares a page of Stripe's list with the stored rows. Marks equal ones as checked, and notes deleted customers. */
export async function compareListed(ctx: Context, accountId: string, listed: Listed): Promise<Different> {
  const { tenantId, db } = ctx;
  const { items, readAt, names } = listed;
  const rows = await db.subscription.findMany({ where: { tenantId, id: { in: items.map(({ live }) => live.id) } } });
  const known = new Map(rows.map((row) => [row.id, row]));
  const customers = await db.processorCustomer.findMany({
    where: { tenantId, accountId, customerId: { in: items.map(({ customer }) => customer.id) } },
  });
  const patientOf = new Map(customers.map(({ customerId, patientId }) => [customerId, patientId]));

  const same: string[] = [];
  const differing: string[] = [];
  for (const { live, customer } of items) {
    const row = known.get(live.id);
    if (row) (differs(row, live, names) ? differing : same).push(live.id);
    else if (patientOf.has(customer.id)) differing.push(live.id);
    else await noteUnknown(ctx, accountId, { ...live, name: nameOf(live, names) });
  }
  if (same.length > 0)
    await db.$executeRaw`
      update subscriptions set checked_at = ${readAt}::timestamptz
      where tenant_id = ${tenantId}::uuid and id = any(${same}::text[])
        and (checked_at is null or checked_at < ${readAt}::timestamptz)`;
  await learnMethods(
    ctx,
    items.flatMap(({ live }) => (known.get(live.id)?.paymentMethodKnown === false ? [live] : [])),
  );
  const seen = new Map(items.map(({ customer }) => [customer.id, customer]));
  return { subscriptions: differing, patients: await compareCustomers(ctx, accountId, seen, patientOf) };
}

/** Stores the payment methods of subscriptions for which they were unknown: neither a change nor a repair. */
async function learnMethods(ctx: Context, unasked: ListedSubscription['live'][]): Promise<void> {
  if (unasked.length === 0) return;
  const said = JSON.stringify(
    unasked.map((live) => ({ id: live.id, method: subscriptionColumns(live).paymentMethod })),
  );
  await ctx.db.$executeRaw`
    update subscriptions s set payment_method_known = true, payment_method = nullif(one.method, 'null'::jsonb)
    from jsonb_to_recordset(${said}::jsonb) as one(id text, method jsonb)
    where s.tenant_id = ${ctx.tenantId}::uuid and s.id = one.id and not s.payment_method_known`;
}

const nameOf = ({ items }: ListedSubscription['live'], names: Map<string, string>): string | null => {
  const all = items.map(({ priceId }) => names.get(priceId));
  return all.includes(undefined) ? null : [...new Set(all)].filter(Boolean).join(' + ') || null;
};

/** A list has no product names, except for offered prices, nor the payment status of an open invoice. */
function differs(row: Subscription, live: ListedSubscription['live'], names: Map<string, string>): boolean {
  const said = subscriptionColumns(live);
  const before = factsOf(row);
  const name = nameOf(live, names) ?? before.name;
  const paymentMethod = row.paymentMethodKnown ? said.paymentMethod : before.paymentMethod;
  return changedFacts(paymentsAside(before), paymentsAside({ ...said, name, paymentMethod })).length > 0;
}

const paymentsAside = (facts: Facts): Facts =>
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
  seen: Map<string, SeenCustomer>,
  patientOf: Map<string, string>,
): Promise<string[]> {
  const patients = await ctx.db.patient.findMany({
    where: { tenantId: ctx.tenantId, id: { in: [...patientOf.values()] } },
    select: { id: true, firstName: true, lastName: true, email: true, phoneNumber: true },
  });
  const byId = new Map(patients.map((patient) => [patient.id, patient]));
  const otherwise: string[] = [];
  for (const [customerId, patientId] of patientOf) {
    const customer = seen.get(customerId)!;
    const patient = byId.get(patientId);
    if (customer.deleted) {
      if (await noteDeletedCustomer(ctx, accountId, customerId))
        await ctx.db.$transaction((tx) =>
          noteRepair(tx, ctx, { accountId, objectId: customerId, foundBy: 'comparison', what: 'customer_deleted' }),
        );
    } else if (patient && !isCalled(customer, contactOf(patient))) otherwise.push(patientId);
  }
  return otherwise;
}

const isCalled = (customer: SeenCustomer, contact: ReturnType<typeof contactOf>): boolean =>
  (['name', 'email', 'phone'] as const).every((field) => (customer[field] || null) === (contact[field] || null));
