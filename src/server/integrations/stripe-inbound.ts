import { isStorable } from '#contract/conventions.ts';
import { SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { enqueue } from '#server/core/jobs.ts';
import type { Event } from '#server/providers/stripe.ts';

/** What happens to one object in such a time is read once: renewals and payments come as a handful of events. */
const TOGETHER_MS = 2 * SECOND;

/** Whether an event is of this deployment's mode, and about something that we keep. */
export const isOurs = ({ config }: Pick<Services, 'config'>, event: Event): boolean =>
  inboundTarget(event) !== null && event.livemode === (config.environment === 'production');

/**
 * Keeps an event and has it applied, once however often it comes. `found` is for one that was met in Stripe's list and not
 * brought by a webhook: it waits a little longer, for that may be on its way. True when it was not there yet.
 */
export async function storeEvent(
  services: Services,
  tenantId: string,
  { accountId, event, found }: { accountId: string; event: Event; found?: { waitMs: number } },
): Promise<boolean> {
  const ctx = systemContext(services, tenantId, 'stripe_webhook');
  const now = ctx.clock.now();
  const id = { tenantId, provider: 'stripe', id: event.id };
  const objectId = inboundTarget(event)!;
  return ctx.db.$transaction(async (tx) => {
    const { count } = await tx.inboundEvent.createMany({
      data: [
        {
          ...id,
          accountId,
          eventType: event.type,
          objectId,
          occurredAt: event.created,
          receivedAt: now,
          foundBy: found ? 'events' : null,
        },
      ],
      skipDuplicates: true,
    });
    if (count === 0 && !found)
      await tx.inboundEvent.updateMany({
        where: { ...id, foundBy: { not: null }, deliveredAt: null },
        data: { deliveredAt: now },
      });
    if (count > 0) await queueApplying(tx, ctx, objectId, new Date(now.getTime() + (found?.waitMs ?? TOGETHER_MS)));
    return count > 0;
  });
}

/** What PostgreSQL cannot keep is no id of Stripe's. */
const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && isStorable(value) ? value : null;
const field = (value: unknown, key: string): unknown => (value as Record<string, unknown> | null | undefined)?.[key];
/** Of a reference, expanded or not. */
const idOf = (value: unknown): string | null => text(value) ?? text(field(value, 'id'));
/** Refunds come under several names, disputes under their charge's. */
const GIVEN_BACK = /^(?:refund\.|charge\.refund|charge\.dispute\.)/;
const ACCOUNT = new Set(['account.updated', 'account.application.deauthorized', 'capability.updated']);

const CARD_CHANGED = new Set(['payment_method.updated', 'payment_method.automatically_updated']);

/**
 * The id of what has to be read anew because of this event: a subscription (also for its invoices), the payment that was
 * given back or disputed, a customer that was deleted or is charged to something else, the account, or `plans`; null when
 * the event is nothing to us. Only the id counts: what the event says may be old by now.
 */
export function inboundTarget({ type, account, data: { object, previous_attributes: before } }: Event): string | null {
  if (type.startsWith('customer.subscription.')) return text(object.id);
  if (type === 'customer.deleted') return text(object.id);
  // Of what else a customer is called it was we who told Stripe.
  if (type === 'customer.updated') return field(before, 'invoice_settings') ? text(object.id) : null;
  if (CARD_CHANGED.has(type)) return idOf(object.customer);
  if (type === 'payment_method.detached') return idOf(field(before, 'customer'));
  if (type.startsWith('invoice.')) {
    const details = field(field(object, 'parent'), 'subscription_details');
    return idOf(field(details, 'subscription'));
  }
  if (GIVEN_BACK.test(type)) return idOf(object.payment_intent);
  if (ACCOUNT.has(type)) return account ?? null;
  if (type.startsWith('price.') || type.startsWith('product.')) return 'plans';
  return null;
}

/** Has what waits of Stripe's events about an object applied: by one job, at the earliest time that anybody asked for. */
export const queueApplying = (
  tx: Pick<Tx, '$executeRaw'>,
  { tenantId }: Pick<Context, 'tenantId'>,
  objectId: string,
  runAt: Date,
): Promise<void> =>
  enqueue(
    tx,
    'apply_stripe_events',
    { tenantId, objectId },
    { runAt, key: `stripe:${tenantId}:${objectId}`, keepEarlier: true },
  );
