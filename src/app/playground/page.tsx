import { notFound } from 'next/navigation';
import { Playground } from '#portal/playground/playground.tsx';
import { services } from '#server/http/services.ts';
import { readSteps } from './read-steps.ts';

export const metadata = { title: 'Playground', referrer: 'no-referrer' };

export default function Page() {
  const { environment, stripe } = services().config;
  if (environment !== 'sandbox') notFound();
  return <Playground code={readSteps()} stripeScript={stripe.jsUrl} />;
}
