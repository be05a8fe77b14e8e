/**
 * Stripe counts these in hundredths although ISO 4217 gives them no decimals (Stripe docs, "Zero-decimal currencies:
 * special cases").
 */
const HUNDREDTHS_AT_STRIPE = new Set(['ISK', 'UGX']);

/** Returns the number of decimal digits of a currency's amounts in minor units: 2 for dollars, 0 for yen. */
export function minorDigits(currency: string): number {
  const code = currency.toUpperCase();
  if (HUNDREDTHS_AT_STRIPE.has(code)) return 2;
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: code });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** Formats an amount: 4900, "usd" → "$49.00"; 4900, "jpy" → "¥4,900". */
export function formatMoney(minorUnits: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() });
  return format.format(minorUnits / 10 ** minorDigits(currency));
}
