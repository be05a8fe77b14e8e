import type { ListedCodeView } from '#contract/promotion-code-changes.ts';
import type { Tone } from '#web/ui/badge.tsx';
import { discountLabel } from '#web/ui/checkout-terms.ts';
import { pluralize } from '#web/ui/count-label.ts';

export const CODE_STATES: Record<ListedCodeView['state'], { label: string; tone: Tone }> = {
  active: { label: 'Valid', tone: 'good' },
  expired: { label: 'Expired', tone: 'neutral' },
  used_up: { label: 'Used up', tone: 'neutral' },
  archived: { label: 'Archived', tone: 'neutral' },
};

type Discount = Pick<ListedCodeView, 'percent_off' | 'amount_off' | 'currency' | 'duration' | 'duration_in_months'>;

/** "20% off the first bill", "$5.00 off for 3 months", "10% off every bill". */
export function codeTerms({
  percent_off,
  amount_off,
  currency,
  duration,
  duration_in_months: months,
}: Discount): string {
  const off = discountLabel({ code: null, percent_off, amount_off }, currency ?? 'usd');
  if (duration === 'repeating' && months) return `${off} for ${pluralize(months, 'month')}`;
  return `${off} ${duration === 'forever' ? 'every bill' : 'the first bill'}`;
}

/** "3 of 10", "3". */
export const usesLabel = ({ times_redeemed, max_redemptions }: ListedCodeView): string =>
  max_redemptions === null ? String(times_redeemed) : `${times_redeemed} of ${max_redemptions}`;
