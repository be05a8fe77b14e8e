/** Stripe counts these in hundredths although ISO 4217 gives them none (Stripe docs, "Zero-decimal currencies: special cases"). */
const HUNDREDTHS_AT_STRIPE = new Set(['ISK', 'UGX']);

/** How many digits of an amount in minor units stand behind the point: 2 of dollars, 0 of yen. */
export function minorDigits(currency: string): number {
  const code = currency.toUpperCase();
  if (HUNDREDTHS_AT_STRIPE.has(code)) return 2;
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: code });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** 4900, "usd" → "$49.00"; 4900, "jpy" → "¥4,900". */
export function formatMoney(minorUnits: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() });
  return format.format(minorUnits / 10 ** minorDigits(currency));
}
