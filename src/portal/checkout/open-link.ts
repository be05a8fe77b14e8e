import type { CheckoutView } from '#contract/subscriptions.ts';
import { askLink } from '../patient-pages/ask-link.ts';

/** What the link's token opens. */
export const openLink = (token: string): Promise<CheckoutView> => askLink('checkout.open', token);
