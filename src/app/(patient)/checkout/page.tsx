import { Checkout } from '#portal/checkout/checkout.tsx';
import { services } from '#server/http/services.ts';

export const metadata = { title: 'Payment', referrer: 'no-referrer' };

export default function Page() {
  return <Checkout stripeScript={services().config.stripe.jsUrl} />;
}
