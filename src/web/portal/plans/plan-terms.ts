import { formatMoney } from '#web/ui/format-money.ts';

type Recurrence = { interval: string; interval_count: number };

/** "per month", "every 3 months". */
export function describeInterval({ interval, interval_count }: Recurrence): string {
  return interval_count === 1 ? `per ${interval}` : `every ${interval_count} ${interval}s`;
}

type Priced = { unit_amount: number | null; currency: string; recurring: Recurrence | null };

/** "$49.00 per month", "$120.00 once". */
export function describePrice({ unit_amount, currency, recurring }: Priced): string {
  const amount = unit_amount === null ? 'Price varies' : formatMoney(unit_amount, currency);
  return `${amount} ${recurring ? describeInterval(recurring) : 'once'}`;
}
