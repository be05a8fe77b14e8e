import type { PlanView } from '#contract/subscriptions.ts';
import { refuse } from '#server/core/errors.ts';
import { inBody, type PricesAt } from '#server/plans/find-plans.ts';

export function checkDistinct(priceIds: string[], at: PricesAt = inBody): void {
  const twice = priceIds.findIndex((id, index) => priceIds.indexOf(id) !== index);
  if (twice >= 0) throw refuse('invalid_parameter', 'Each price may be named once.', { source: at(twice) });
}

type Kind = { currency: string; interval: string | null | undefined; count: number | null | undefined };
const same = (a: Kind, b: Kind) => a.currency === b.currency && a.interval === b.interval && a.count === b.count;
const kindOf = ({ currency, recurring }: PlanView): Kind => ({
  currency,
  interval: recurring?.interval,
  count: recurring?.interval_count,
});

/** What stands in one subscription shares currency and billing interval; `beside` is what is in it already. */
export function checkTogether(plans: PlanView[], beside: Kind | null = null, at: PricesAt = inBody): void {
  const first = beside ?? (plans[0] && kindOf(plans[0]));
  const other = plans.find((plan) => first && !same(kindOf(plan), first));
  if (other)
    throw refuse('invalid_parameter', 'All prices of one subscription must share currency and billing interval.', {
      source: at(plans.indexOf(other)),
    });
}
