import type {
  PreviewSubscriptionInput,
  Proration,
  SubscriptionPreviewView,
  UpdateSubscriptionInput,
} from '#contract/subscription-changes.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';

/**
 * Preview input for another plan. A plan that replaces a single one keeps its quantity.
 * @param isConfirmed true if the patient is to have this plan twice
 */
export function toPreviewInput(
  { id, items }: Pick<SubscriptionView, 'id' | 'items'>,
  priceId: string,
  proration: Proration | undefined,
  isConfirmed: boolean,
): PreviewSubscriptionInput {
  const [first, ...others] = items;
  return {
    id,
    price_ids: [priceId],
    ...(first && others.length === 0 && { quantities: [first.quantity] }),
    ...(proration && { proration }),
    ...(isConfirmed && { allow_duplicate: true }),
  };
}

/** The change exactly as previewed; null until this price has a preview. */
export function toUpdateInput(
  priceId: string,
  shown: SubscriptionPreviewView | undefined,
  isConfirmed: boolean,
): UpdateSubscriptionInput | null {
  if (!shown || shown.price_ids[0] !== priceId) return null;
  const { subscription_id: id, price_ids, quantities, proration, proration_date } = shown;
  return { id, price_ids, quantities, proration, proration_date, ...(isConfirmed && { allow_duplicate: true }) };
}
