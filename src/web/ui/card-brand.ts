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

/** A card's brand, which Stripe calls by a code; of one that has none, or another, that it is a card. */
export const brandName = (brand: string | null): string => BRANDS[brand ?? ''] ?? 'Card';
