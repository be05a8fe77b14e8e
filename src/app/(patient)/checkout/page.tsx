import { Checkout } from '#portal/checkout/checkout.tsx';

export const metadata = { title: 'Payment', referrer: 'no-referrer' };

export default function Page() {
  return <Checkout />;
}
