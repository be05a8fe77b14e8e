import type { CheckoutView } from '#contract/checkout-links.ts';
import { askLink } from '../../ui/links/ask-link.ts';

/** Opens a checkout link. */
export const openLink = (token: string): Promise<CheckoutView> => askLink('checkout.open', token);

/** Applies a promotion code, and returns the new amount due. */
export const redeemCode = (token: string, code: string): Promise<CheckoutView> =>
  askLink('checkout.redeemCode', token, { code });
