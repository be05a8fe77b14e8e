import type { Event } from '#server/providers/stripe.ts';

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const field = (value: unknown, key: string): unknown => (value as Record<string, unknown> | null | undefined)?.[key];

/**
 * The id of what has to be read anew because of this event: a subscription (also for its invoices), the account, or
 * `plans`; null when the event is nothing to us. Only the id counts: what the event says may be old by now.
 */
export function inboundTarget({ type, account, data: { object } }: Event): string | null {
  if (type.startsWith('customer.subscription.')) return text(object.id);
  if (type.startsWith('invoice.')) {
    const details = field(field(object, 'parent'), 'subscription_details');
    const subscription = field(details, 'subscription');
    return text(subscription) ?? text(field(subscription, 'id'));
  }
  if (type === 'account.updated' || type === 'account.application.deauthorized') return account ?? null;
  if (type.startsWith('price.') || type.startsWith('product.')) return 'plans';
  return null;
}
