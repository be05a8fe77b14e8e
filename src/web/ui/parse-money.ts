import { minorDigits } from '#contract/minor-units.ts';

/** Parses an amount as users write it, "49.00" or "1,049", into minor units; NaN for other text. */
export function minorUnitsOf(text: string, currency: string): number {
  const digits = minorDigits(currency);
  const plain = text
    .trim()
    .replace(/^\p{Sc}\s*/u, '')
    .replace(/,(?=\d{3}(?:\D|$))/g, '')
    .replace(',', '.');
  const pattern = new RegExp(digits > 0 ? `^\\d{1,9}(\\.\\d{1,${digits}})?$` : '^\\d{1,9}$');
  return pattern.test(plain) ? Math.round(Number(plain) * 10 ** digits) : Number.NaN;
}

/** Returns an amount as users write it, without the currency: 4900, "usd" → "49.00". */
export function amountText(minorUnits: number, currency: string): string {
  const digits = minorDigits(currency);
  return (minorUnits / 10 ** digits).toFixed(digits);
}
