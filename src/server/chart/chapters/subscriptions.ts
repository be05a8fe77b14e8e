import { type Chapter, fieldNames, type Happening } from './chapter.ts';

const changed = ({ details }: Happening) => {
  const names = Array.isArray(details.changed) ? (details.changed as string[]) : [];
  if (details.undone === true) return 'The end of a subscription was called off';
  if (details.price_ids) return 'What a subscription consists of was changed';
  if (names.includes('currentPeriodStart')) return 'A subscription went on for another period';
  if (names.includes('cancelAtPeriodEnd') || names.includes('cancelAt')) return 'The end of a subscription was changed';
  return { title: 'A subscription was changed', note: fieldNames(names) };
};

/** What is paid for, and what became of the payments. */
export const subscriptions: Chapter = {
  kind: 'subscriptions',
  tells: {
    'subscriptions.create': 'A subscription was started',
    'subscriptions.cancel': ({ details }: Happening) =>
      details.at === 'period_end' ? 'A subscription was set to end with its period' : 'A subscription was canceled',
    'subscriptions.update': changed,
    'subscriptions.customer_deleted':
      'The patient was deleted as a customer at Stripe, which ended their subscriptions',
    'subscriptions.create_checkout_link': 'A payment link was made',
    'subscription.created': 'A subscription was started',
    'subscription.activated': 'A subscription became active',
    'subscription.updated': changed,
    'subscription.trial_will_end': 'A trial is about to end',
    'subscription.payment_succeeded': 'A payment arrived',
    'subscription.payment_failed': 'A payment failed',
    'subscription.payment_action_required': 'A payment waits for the patient to confirm it',
    'subscription.refunded': 'A payment was paid back',
    'subscription.disputed': 'A payment was disputed',
    'subscription.canceled': 'A subscription ended',
    'subscription.expired': 'A subscription ended, for it was never paid',
    // Entries of before these named their event.
    'subscriptions.activate': 'A subscription became active',
    'subscriptions.sync': changed,
  },
};
