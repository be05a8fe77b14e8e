export type Interval = 'day' | 'week' | 'month' | 'year';

const DAYS: Partial<Record<Interval, number>> = { day: 1, week: 7 };

/** `from` plus `count` intervals of the UTC calendar; a day that the month lacks becomes its last (Stripe, "Billing cycle"). */
export function addIntervals(from: Date, interval: Interval, count: number): Date {
  const to = new Date(from);
  const days = DAYS[interval];
  if (days !== undefined) {
    to.setUTCDate(to.getUTCDate() + days * count);
    return to;
  }
  to.setUTCDate(1);
  to.setUTCMonth(to.getUTCMonth() + (interval === 'year' ? 12 * count : count));
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return to;
}
