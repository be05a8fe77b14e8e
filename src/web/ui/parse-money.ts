import { minorDigits } from '#contract/minor-units.ts';

/** The sign before an amount: "$" for dollars of any country. */
function signOf(currency: string): string {
  const style = { style: 'currency', currency: currency.toUpperCase(), currencyDisplay: 'narrowSymbol' } as const;
  const parts = new Intl.NumberFormat('en-US', style).formatToParts(0);
  return parts.find(({ type }) => type === 'currency')?.value ?? '';
}

/**
 * Parses an amount as users write it, "49.00", "$49" or "1,049", into minor units; NaN for other text. An amount of any
 * length is one, so that forms can name their limit.
 */
export function minorUnitsOf(text: string, currency: string): number {
  const digits = minorDigits(currency);
  const sign = signOf(currency);
  const trimmed = text.trim();
  const amount = trimmed.startsWith(sign) ? trimmed.slice(sign.length).trim() : trimmed;
  // Thousands, or a currency's three decimals.
  if (digits === 3 && /,\d{3}$/.test(amount)) return Number.NaN;
  const plain = amount.replace(/,(?=\d{3}(?:\D|$))/g, '').replace(',', '.');
  const pattern = new RegExp(digits > 0 ? `^\\d+(\\.\\d{1,${digits}})?$` : '^\\d+$');
  return pattern.test(plain) ? Math.round(Number(plain) * 10 ** digits) : Number.NaN;
}

/** Returns an amount as users write it, without the currency: 4900, "usd" → "49.00". */
export function amountText(minorUnits: number, currency: string): string {
  const digits = minorDigits(currency);
  return (minorUnits / 10 ** digits).toFixed(digits);
}
