import { isStorable } from '#contract/conventions.ts';
import { SECOND } from '#server/core/clock.ts';
import { type Services, systemContext } from '#server/core/context.ts';
import type { Event } from '#server/providers/stripe.ts';
import { queueStripeEvents } from './stripe-account.ts';

/**
 * Events of one object within this time are applied with one read: a renewal or payment sends several events at once.
 */
const TOGETHER_MS = 2 * SECOND;

/** True when an event is of this deployment's mode and about a stored kind of object. */
export const isRelevantEvent = ({ config }: Pick<Services, 'config'>, event: Event): boolean =>
  inboundTarget(event) !== null && event.livemode === (config.environment === 'production');

/**
 * Stores an event and queues its processing, once for any number of deliveries. `found` marks an event from Stripe's
 * list; it is processed later, because its webhook may be on its way.
 * @returns true when the event was not stored yet
 */
export async function storeEvent(
  services: Services,
  tenantId: string,
  { accountId, event, found }: { accountId: string; event: Event; found?: { waitMs: number } },
): Promise<boolean> {
  const ctx = systemContext(services, tenantId, 'stripe_webhook');
  const now = ctx.clock.now();
  const id = { tenantId, provider: 'stripe', id: event.id };
  const objectId = inboundTarget(event);
  if (objectId === null) throw new Error(`the event ${event.id} is about no stored object`);
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
    if (count > 0) await queueStripeEvents(tx, ctx, objectId, new Date(now.getTime() + (found?.waitMs ?? TOGETHER_MS)));
    return count > 0;
  });
}

/** A value that PostgreSQL cannot store is no id of Stripe. */
const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && isStorable(value) ? value : null;
const field = (value: unknown, key: string): unknown => (value as Record<string, unknown> | null | undefined)?.[key];
/** The id of a reference, expanded or not. */
const idOf = (value: unknown): string | null => text(value) ?? text(field(value, 'id'));
/** Refunds have events under several names, disputes under their charge's. */
const REVERSAL_EVENTS = /^(?:refund\.|charge\.refund|charge\.dispute\.)/;
const ACCOUNT = new Set(['account.updated', 'account.application.deauthorized', 'capability.updated']);

const CARD_CHANGED = new Set(['payment_method.updated', 'payment_method.automatically_updated']);

/**
 * Returns the id of the object to read because of an event: a subscription (also for its invoices), a refunded or
 * disputed payment, a customer that was deleted or whose payment method changed, the account, or `plans`; null when the
 * event is ignored. Only the id is used: the event's data may be outdated.
 */
export function inboundTarget({ type, account, data: { object, previous_attributes: before } }: Event): string | null {
  if (type.startsWith('customer.subscription.')) return text(object.id);
  if (type === 'customer.deleted') return text(object.id);
  // Other changes of a customer are made by this service.
  if (type === 'customer.updated') return field(before, 'invoice_settings') ? text(object.id) : null;
  if (CARD_CHANGED.has(type)) return idOf(object.customer);
  if (type === 'payment_method.detached') return idOf(field(before, 'customer'));
  if (type.startsWith('invoice.')) {
    const details = field(field(object, 'parent'), 'subscription_details');
    return idOf(field(details, 'subscription'));
  }
  if (REVERSAL_EVENTS.test(type)) return idOf(object.payment_intent);
  if (ACCOUNT.has(type)) return account ?? null;
  if (type.startsWith('price.') || type.startsWith('product.')) return 'plans';
  return null;
}
