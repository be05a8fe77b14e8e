import { Checkout } from '#web/patient/checkout/checkout.tsx';

export const metadata = { title: 'Payment', referrer: 'no-referrer' };

export default function Page() {
  return <Checkout />;
}
