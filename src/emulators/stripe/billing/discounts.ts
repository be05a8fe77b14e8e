import type { Coupon, Discount } from '../objects.ts';

export interface DiscountableLine {
  amount: number;
  product: string;
  discountable: boolean;
}

export interface DiscountAmount {
  amount: number;
  discount: string;
}

/** Returns true when the discount applies to an invoice created at `now`. */
export function isLive(discount: Discount, coupon: Coupon, now: number): boolean {
  if (coupon.duration === 'once') return discount._used === 0;
  return discount.end === null || now < discount.end;
}

/** Computes what each discount takes off each line, in minor units; a line never goes below zero. */
export function discountLines(
  lines: DiscountableLine[],
  discounts: { discount: Discount; coupon: Coupon }[],
): DiscountAmount[][] {
  const left = lines.map(({ amount }) => amount);
  const taken: DiscountAmount[][] = lines.map(() => []);
  for (const { discount, coupon } of discounts) {
    let budget = coupon.amount_off ?? Number.POSITIVE_INFINITY;
    for (const [index, line] of lines.entries()) {
      if (!line.discountable || (coupon._products.length > 0 && !coupon._products.includes(line.product))) continue;
      const rest = left[index] ?? 0;
      const wanted = coupon.percent_off === null ? budget : Math.round((rest * coupon.percent_off) / 100);
      const amount = Math.max(0, Math.min(rest, wanted));
      if (amount === 0) continue;
      left[index] = rest - amount;
      budget -= amount;
      taken[index]?.push({ amount, discount: discount.id });
    }
  }
  return taken;
}
