import { formatMoney } from './format-money.ts';

/** An amount as the processor counts it (minor units) with its ISO currency. */
export function Money({ amount, currency }: { amount: number | null; currency: string | null }) {
  if (amount === null || !currency) return <span className="text-muted">–</span>;
  return <span className="tabular-nums">{formatMoney(amount, currency)}</span>;
}
