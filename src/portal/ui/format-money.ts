/** Stripe counts these in hundredths although ISO 4217 gives them none (Stripe docs, "Zero-decimal currencies: special cases"). */
const HUNDREDTHS_AT_STRIPE = new Set(['ISK', 'UGX']);

/** 4900, "usd" → "$49.00"; 4900, "jpy" → "¥4,900". */
export function formatMoney(minorUnits: number, currency: string): string {
  const code = currency.toUpperCase();
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: code });
  const digits = HUNDREDTHS_AT_STRIPE.has(code) ? 2 : (format.resolvedOptions().maximumFractionDigits ?? 2);
  return format.format(minorUnits / 10 ** digits);
}
