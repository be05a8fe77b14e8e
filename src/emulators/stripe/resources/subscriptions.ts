import { z } from 'zod';
import { cancelSubscription } from '../billing/cancel-subscription.ts';
import { createSubscription } from '../billing/create-subscription.ts';
import { hasEnded } from '../billing/lifecycle.ts';
import { pauseSubscription, resumeSubscription } from '../billing/pause-subscription.ts';
import { updateSubscription } from '../billing/update-subscription.ts';
import type { Subscription } from '../objects.ts';
import { listPage, within } from '../wire/list.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { flag, integer, metadata, paging, range, text, unset } from '../wire/params.ts';
import { present } from '../wire/present.ts';

const quantity = integer.pipe(z.number().min(0)).optional();
const trial_end = z.union([z.literal('now'), integer]).optional();
export const discountInputs = z.array(
  z.strictObject({ coupon: text.optional(), promotion_code: text.optional(), discount: text.optional() }),
);
/** How an update changes the billing cycle's anchor. */
export const anchor = z.strictObject({ type: z.enum(['now', 'unchanged']) }).transform(({ type }) => type);
/** Changes of items, for updates and previews. */
export const itemChanges = z
  .array(
    z.strictObject({
      id: text.optional(),
      price: text.optional(),
      quantity,
      deleted: flag.optional(),
      metadata: metadata.optional(),
    }),
  )
  .max(20);
const payment_settings = z
  .strictObject({
    save_default_payment_method: z.enum(['on_subscription', 'off']).optional(),
    payment_method_types: z.array(z.literal('card')).optional(),
  })
  .optional();
const trial_settings = z
  .strictObject({
    end_behavior: z.strictObject({
      billing_cycle_anchor: z.enum(['now', 'unchanged']).optional(),
      missing_payment_method: z.enum(['cancel', 'pause', 'create_invoice']).optional(),
    }),
  })
  .optional();
const collection_method = z.literal('charge_automatically').optional();
const cancellation_details = z
  .strictObject({ comment: z.union([unset, text]).optional(), feedback: z.union([unset, text]).optional() })
  .optional();

const STATUSES = [
  'active',
  'all',
  'canceled',
  'ended',
  'incomplete',
  'incomplete_expired',
  'past_due',
  'paused',
  'trialing',
  'unpaid',
] as const;

function hasStatus({ status }: Subscription, filter: (typeof STATUSES)[number] | undefined): boolean {
  if (filter === undefined) return status !== 'canceled';
  if (filter === 'ended') return hasEnded(status);
  return filter === 'all' || status === filter;
}

export const subscriptions: Operation[] = [
  operation(
    'POST',
    '/v1/subscriptions',
    {
      // Only flexible billing mode is emulated; it is also the default.
      billing_mode: z
        .strictObject({
          type: z.literal('flexible'),
          flexible: z.strictObject({ proration_discounts: z.literal('included').optional() }).optional(),
        })
        .optional(),
      cancel_at: integer.optional(),
      cancel_at_period_end: flag.optional(),
      collection_method,
      customer: text,
      default_payment_method: text.optional(),
      description: text.max(500).optional(),
      discounts: z.union([unset, discountInputs]).optional(),
      items: z
        .array(z.strictObject({ price: text, quantity, metadata: metadata.optional() }))
        .min(1)
        .max(20),
      metadata: metadata.optional(),
      off_session: flag.optional(),
      payment_behavior: z.enum(['allow_incomplete', 'default_incomplete', 'error_if_incomplete']).optional(),
      payment_settings,
      proration_behavior: z.enum(['always_invoice', 'create_prorations', 'none']).optional(),
      trial_end,
      trial_period_days: integer.optional(),
      trial_settings,
    },
    ({ input, ledger }) => {
      const subscription = createSubscription(ledger, {
        ...input,
        discounts: input.discounts ?? undefined,
        save_default_payment_method: input.payment_settings?.save_default_payment_method,
        missing_payment_method: input.trial_settings?.end_behavior.missing_payment_method,
        trial_end_anchor: input.trial_settings?.end_behavior.billing_cycle_anchor,
      });
      return present(subscription, ledger.data);
    },
  ),
  operation(
    'GET',
    '/v1/subscriptions',
    {
      ...paging,
      created: range.optional(),
      customer: text.optional(),
      price: text.optional(),
      status: z.enum(STATUSES).optional(),
      test_clock: text.optional(),
    },
    ({ input, ledger }) =>
      listPage(
        ledger,
        'subscription',
        '/v1/subscriptions',
        input,
        (one) =>
          hasStatus(one, input.status) &&
          (input.customer === undefined || one.customer === input.customer) &&
          (input.price === undefined || one._items.some(({ price }) => price === input.price)) &&
          (input.test_clock === undefined || one.test_clock === input.test_clock) &&
          within(one.created, input.created),
      ),
  ),
  operation('GET', '/v1/subscriptions/:id', {}, ({ path, ledger }) =>
    present(ledger.find('subscription', path.id, 'id'), ledger.data),
  ),
  operation(
    'POST',
    '/v1/subscriptions/:id',
    {
      billing_cycle_anchor: anchor.optional(),
      cancel_at: z.union([unset, z.enum(['min_period_end', 'max_period_end', 'max_billed_until']), integer]).optional(),
      cancel_at_period_end: flag.optional(),
      cancellation_details,
      default_payment_method: z.union([unset, text]).optional(),
      description: z.union([unset, text]).optional(),
      discounts: z.union([unset.transform(() => []), discountInputs]).optional(),
      items: itemChanges.optional(),
      metadata: metadata.optional(),
      off_session: flag.optional(),
      pause_collection: z
        .union([
          unset,
          z.strictObject({
            behavior: z.enum(['keep_as_draft', 'mark_uncollectible', 'void']),
            resumes_at: integer.optional(),
          }),
        ])
        .optional(),
      payment_behavior: z
        .enum(['allow_incomplete', 'default_incomplete', 'error_if_incomplete', 'pending_if_incomplete'])
        .optional(),
      payment_settings,
      proration_behavior: z.enum(['always_invoice', 'create_prorations', 'none']).optional(),
      proration_date: integer.optional(),
      trial_end,
      trial_settings,
    },
    ({ input, path, ledger }) => {
      const subscription = ledger.find('subscription', path.id, 'id');
      updateSubscription(ledger, subscription, {
        ...input,
        save_default_payment_method: input.payment_settings?.save_default_payment_method,
        missing_payment_method: input.trial_settings?.end_behavior.missing_payment_method,
        trial_end_anchor: input.trial_settings?.end_behavior.billing_cycle_anchor,
      });
      return present(subscription, ledger.data);
    },
  ),
  operation(
    'DELETE',
    '/v1/subscriptions/:id',
    { cancellation_details, invoice_now: flag.optional(), prorate: flag.optional() },
    ({ input, path, ledger }) => {
      const subscription = ledger.find('subscription', path.id, 'id');
      if (!hasEnded(subscription.status)) Object.assign(subscription.cancellation_details, input.cancellation_details);
      return present(cancelSubscription(ledger, subscription, input), ledger.data);
    },
  ),
  operation('POST', '/v1/subscriptions/:id/pause', { type: z.literal('subscription').optional() }, ({ path, ledger }) =>
    present(pauseSubscription(ledger, ledger.find('subscription', path.id, 'id')), ledger.data),
  ),
  operation(
    'POST',
    '/v1/subscriptions/:id/resume',
    { billing_cycle_anchor: z.strictObject({ type: z.literal('now') }).optional() },
    ({ path, ledger }) => present(resumeSubscription(ledger, ledger.find('subscription', path.id, 'id')), ledger.data),
  ),
];
