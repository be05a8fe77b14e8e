import type { Ledger } from '../ledger.ts';
import type { Price } from '../objects.ts';
import { invalidRequest } from '../wire/errors.ts';

/** An active recurring price of this account, or Stripe's refusal. */
export function checkPrice(ledger: Ledger, id: string, param: string): Price {
  const price = ledger.find('price', id, param);
  if (!price.active) {
    throw invalidRequest('The price specified is inactive. This field only accepts active prices.', { param });
  }
  if (price.type !== 'recurring') {
    const message =
      'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.';
    throw invalidRequest(message, { param });
  }
  return price;
}

/** All items of a subscription are billed together: one currency, one interval. */
export function checkTogether(prices: Price[]): void {
  const currencies = new Set(prices.map(({ currency }) => currency));
  if (currencies.size > 1)
    throw invalidRequest('All prices of a subscription must have the same currency.', { param: 'items' });
  const intervals = new Set(prices.map(({ recurring }) => `${recurring?.interval} ${recurring?.interval_count}`));
  if (intervals.size > 1)
    throw invalidRequest('Prices with different intervals on one subscription are not emulated.', { param: 'items' });
}
