import type {
  PreviewSubscriptionInput,
  Proration,
  SubscriptionPreviewView,
  UpdateSubscriptionInput,
} from '#contract/subscription-changes.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';

/**
 * What to preview for another plan. One that takes a single plan's place keeps its quantity.
 * @param isMeant that the patient is to have this plan twice
 */
export function previewOf(
  { id, items }: Pick<SubscriptionView, 'id' | 'items'>,
  priceId: string,
  proration: Proration | undefined,
  isMeant: boolean,
): PreviewSubscriptionInput {
  const [first, ...others] = items;
  return {
    id,
    price_ids: [priceId],
    ...(first && others.length === 0 && { quantities: [first.quantity] }),
    ...(proration && { proration }),
    ...(isMeant && { allow_duplicate: true }),
  };
}

/** The change at exactly what its preview showed; null as long as none of this price was shown. */
export function changeOf(
  priceId: string,
  shown: SubscriptionPreviewView | undefined,
  isMeant: boolean,
): UpdateSubscriptionInput | null {
  if (!shown || shown.price_ids[0] !== priceId) return null;
  const { subscription_id: id, price_ids, quantities, proration, proration_date } = shown;
  return { id, price_ids, quantities, proration, proration_date, ...(isMeant && { allow_duplicate: true }) };
}
