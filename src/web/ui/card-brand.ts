const BRANDS: Record<string, string> = {
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  eftpos_au: 'Eftpos',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
};

const PAYMENT_METHODS: Record<string, string> = {
  link: 'Link',
  sepa_debit: 'SEPA direct debit',
  us_bank_account: 'Bank account',
};

/** A card by its brand, any other payment method by its type. */
export const methodName = ({ type, brand }: { type: string; brand: string | null }): string =>
  type === 'card' ? brandName(brand) : (PAYMENT_METHODS[type] ?? type.replaceAll('_', ' '));

/** The display name of Stripe's brand code; "Card" for a missing or unknown brand. */
export const brandName = (brand: string | null): string => BRANDS[brand ?? ''] ?? 'Card';
