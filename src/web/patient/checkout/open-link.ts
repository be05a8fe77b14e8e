import type { CheckoutView } from '#contract/checkout-links.ts';
import { askLink } from '../../ui/links/ask-link.ts';

/** What the link's token opens. */
export const openLink = (token: string): Promise<CheckoutView> => askLink('checkout.open', token);

/** What is due with a promotion code. */
export const redeemCode = (token: string, code: string): Promise<CheckoutView> =>
  askLink('checkout.redeemCode', token, { code });
