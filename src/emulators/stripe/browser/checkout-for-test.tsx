import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';
import { type FormEvent, useState } from 'react';
import { createRoot } from 'react-dom/client';

/** A minimal checkout with the official packages, configured by `#pk,account,client_secret,redirect` in the URL. */
const [key = '', stripeAccount = '', clientSecret = '', redirect = ''] = location.hash.slice(1).split(',');

function Checkout() {
  const stripe = useStripe();
  const elements = useElements();
  const [ready, setReady] = useState(false);
  const [outcome, setOutcome] = useState('');
  async function pay(event: FormEvent) {
    event.preventDefault();
    if (!stripe || !elements) return;
    const submitted = await elements.submit();
    if (submitted.error) return setOutcome(`submit: ${submitted.error.message}`);
    const confirmParams = { return_url: `${location.origin}/done` };
    const mode = redirect === 'always' ? {} : { redirect: 'if_required' as const };
    const options = { elements, clientSecret, confirmParams, ...mode } as Parameters<typeof stripe.confirmSetup>[0];
    const result = clientSecret.startsWith('seti_')
      ? await stripe.confirmSetup(options)
      : await stripe.confirmPayment(options);
    const { error, paymentIntent, setupIntent } = result as Record<string, { status?: string; message?: string }>;
    setOutcome(error ? `error: ${error.message}` : `status: ${(paymentIntent ?? setupIntent)?.status}`);
  }
  return (
    <form onSubmit={pay}>
      <PaymentElement onReady={() => setReady(true)} />
      <button type="submit" disabled={!ready}>
        Pay
      </button>
      <output>{outcome}</output>
    </form>
  );
}

const appearance = { theme: 'night' as const, variables: { colorPrimary: '#ffcc00' } };
createRoot(document.querySelector('main')!).render(
  <Elements stripe={loadStripe(key, { stripeAccount })} options={{ clientSecret, appearance }}>
    <Checkout />
  </Elements>,
);
