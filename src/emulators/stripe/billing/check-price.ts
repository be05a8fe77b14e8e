import type { Ledger } from '../ledger.ts';
import type { Price } from '../objects.ts';
import { invalidRequest } from '../wire/errors.ts';
import { recurringOf } from './calendar.ts';

/**
 * Returns an active recurring price of this account.
 * @throws ErrorReply with Stripe's error
 */
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

/** Base units of the intervals; days and months are not multiples of each other (Stripe, "Interval alignment"). */
const UNITS = { day: ['day', 1], week: ['day', 7], month: ['month', 1], year: ['month', 12] } as const;

function lengthOf(price: Price): { unit: 'day' | 'month'; count: number } {
  const { interval, interval_count } = recurringOf(price);
  const [unit, each] = UNITS[interval];
  return { unit, count: each * interval_count };
}

const shorter = (a: ReturnType<typeof lengthOf>, b: ReturnType<typeof lengthOf>) =>
  a.unit === b.unit ? a.count - b.count : a.unit === 'day' ? -1 : 1;

/**
 * Requires one currency, and intervals that are multiples of the shortest, as flexible
 * billing mode does. With `mixed: false`, as in Checkout, all intervals must be equal.
 */
export function checkTogether(prices: Price[], { mixed = true } = {}): void {
  const mismatch = (field: string) =>
    invalidRequest(
      `Currency and interval fields must match across all plans on this subscription. Found mismatch in ${field} field.`,
      { param: 'items' },
    );
  if (new Set(prices.map(({ currency }) => currency)).size > 1) throw mismatch('currency');
  const lengths = prices.map(lengthOf);
  const [shortest] = lengths.toSorted(shorter);
  if (!shortest) return;
  const isAligned = ({ unit, count }: ReturnType<typeof lengthOf>) => {
    if (!mixed) return unit === shortest.unit && count === shortest.count;
    if (unit !== shortest.unit) return shortest.unit === 'day' && shortest.count === 1;
    return count % shortest.count === 0;
  };
  if (lengths.every(isAligned)) return;
  if (!mixed) throw mismatch('interval');
  throw invalidRequest('The intervals of all prices on this subscription must be multiples of the shortest of them.', {
    param: 'items',
  });
}
