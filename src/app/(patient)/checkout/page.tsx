import { CheckoutPage } from '#portal/checkout/checkout-page.tsx';
import { services } from '#server/http/services.ts';

export const metadata = { title: 'Payment', referrer: 'no-referrer' };

export default function Page() {
  return <CheckoutPage scriptUrl={services().config.stripe.jsUrl} />;
}
