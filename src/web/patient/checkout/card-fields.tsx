'use client';
import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js';
import type { Stripe } from '@stripe/stripe-js';
import { Lock } from 'lucide-react';
import { type FormEvent, useEffect, useMemo, useState } from 'react';
import type { CheckoutView } from '#contract/checkout-links.ts';
import { createApiError } from '../../ui/api-errors.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { loadStripeJs } from '../../ui/stripe/load-stripe-js.ts';
import { useAppearance } from '../../ui/stripe/use-appearance.ts';
import { CardFieldsSkeleton } from './card-fields-skeleton.tsx';
import { stripeErrorMessage } from './checkout-messages.ts';

const UNLOADABLE = createApiError(
  'unreachable',
  'The card fields could not be loaded. Check your connection and try again.',
);

type CardFieldsProps = {
  /** The parameters for Stripe.js. */
  client: CheckoutView['payment_client'];
  clientSecret: string;
  /** The label of the confirm button. */
  label: string;
  /** Saves a card without a charge. */
  saves: boolean;
  onConfirmed: () => Promise<void>;
};

/** Stripe's card fields for a payment or for saving a card, with the confirm button. */
export function CardFields({ client, clientSecret, label, saves, onConfirmed }: CardFieldsProps) {
  const appearance = useAppearance();
  const [stripe, setStripe] = useState<Stripe | null>(null);
  const [failed, setFailed] = useState(false);
  const { publishable_key, account_id, script_url } = client;
  useEffect(() => {
    if (stripe || failed) return;
    let isMounted = true;
    loadStripeJs({ publishable_key, account_id, script_url }).then(
      (loaded) => isMounted && setStripe(loaded),
      () => isMounted && setFailed(true),
    );
    return () => {
      isMounted = false;
    };
  }, [stripe, failed, publishable_key, account_id, script_url]);
  const options = useMemo(() => ({ clientSecret, appearance }), [clientSecret, appearance]);
  if (failed) return <ErrorState error={UNLOADABLE} onRetry={() => setFailed(false)} />;
  return (
    // `key`: `Elements` does not accept another client secret after it has mounted.
    <Elements key={clientSecret} stripe={stripe} options={options}>
      <PaymentForm saves={saves} label={label} onConfirmed={onConfirmed} />
    </Elements>
  );
}

type PaymentFormProps = {
  /** Saves a card without a charge. */
  saves: boolean;
  label: string;
  onConfirmed: () => Promise<void>;
};

/** Stripe's card fields, in an iframe: card data never passes through this page or our servers. */
function PaymentForm({ saves, label, onConfirmed }: PaymentFormProps) {
  const stripe = useStripe();
  const elements = useElements();
  const [ready, setReady] = useState(false);
  const [pending, setPending] = useState(false);
  const [message, setMessage] = useState<string | null>(null);

  const confirm = async (event: FormEvent) => {
    event.preventDefault();
    if (!stripe || !elements || pending) return;
    setPending(true);
    setMessage(null);
    const request = {
      elements,
      // Without the link's token, which session storage holds: see `takeLinkToken`.
      confirmParams: { return_url: window.location.origin + window.location.pathname },
      redirect: 'if_required',
    } as const;
    const { error } = saves ? await stripe.confirmSetup(request) : await stripe.confirmPayment(request);
    const failure = error && stripeErrorMessage(error);
    if (failure === undefined || failure === 'done') await onConfirmed();
    else setMessage(failure);
    setPending(false);
  };

  return (
    <form onSubmit={confirm} className="grid gap-4">
      {/* In one place: Stripe's frame grows before it is ready. */}
      <div className="grid grid-cols-[minmax(0,1fr)] *:[grid-area:1/1]">
        {!ready && <CardFieldsSkeleton />}
        <PaymentElement onReady={() => setReady(true)} />
      </div>
      {message && <FormError>{message}</FormError>}
      <Button type="submit" variant="primary" size="lg" disabled={!ready} pending={pending}>
        {!pending && <Lock aria-hidden />}
        {label}
      </Button>
    </form>
  );
}
