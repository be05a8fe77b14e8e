import { passesLuhn } from '../billing/luhn.ts';

export const FIELDS = [
  { name: 'number', label: 'Card number', autocomplete: 'cc-number', placeholder: '1234 1234 1234 1234', wide: true },
  { name: 'expiry', label: 'Expiration date', autocomplete: 'cc-exp', placeholder: 'MM / YY', wide: false },
  { name: 'cvc', label: 'Security code', autocomplete: 'cc-csc', placeholder: 'CVC', wide: false },
] as const;

export type FieldName = (typeof FIELDS)[number]['name'];
export type Typed = Record<FieldName, string>;

export interface FieldProblem {
  field: FieldName;
  code: string;
  message: string;
}

export const digits = (text: string) => text.replaceAll(/\D/g, '');

/** Formats the input while the cardholder types. */
export const FORMATS: Record<FieldName, (text: string) => string> = {
  number: (text) =>
    digits(text)
      .slice(0, 19)
      .replaceAll(/(.{4})(?=.)/g, '$1 '),
  expiry: (text) =>
    digits(text)
      .replace(/^([2-9])/, '0$1')
      .slice(0, 4)
      .replace(/^(\d\d)(\d)/, '$1 / $2'),
  cvc: (text) => digits(text).slice(0, 4),
};

/** Returns the first problem of the entered card; undefined when it is valid. */
export function findProblem({ number, expiry, cvc }: Typed, today = new Date()): FieldProblem | undefined {
  const card = digits(number);
  const [month, year] = [Number(digits(expiry).slice(0, 2)), 2000 + Number(digits(expiry).slice(2))];
  const wrong = (field: FieldName, code: string, message: string) => ({ field, code, message });
  if (card.length < 13) return wrong('number', 'incomplete_number', 'Your card number is incomplete.');
  if (!passesLuhn(card)) return wrong('number', 'invalid_number', 'Your card number is invalid.');
  if (digits(expiry).length < 4 || month < 1 || month > 12) {
    return wrong('expiry', 'incomplete_expiry', "Your card's expiration date is incomplete.");
  }
  if (new Date(year, month) <= today) {
    return wrong('expiry', 'invalid_expiry_year_past', "Your card's expiration year is in the past.");
  }
  if (cvc.length < 3) return wrong('cvc', 'incomplete_cvc', "Your card's security code is incomplete.");
  return undefined;
}
