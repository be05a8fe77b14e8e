'use client';
import { PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js';
import { Lock } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { stripeErrorMessage } from './checkout-messages.ts';

type PaymentFormProps = {
  /** Saves a card without a charge. */
  saves: boolean;
  label: string;
  onConfirmed: () => Promise<void>;
};

/** Stripe's card fields, in an iframe: card data never passes through this page or our servers. */
export function PaymentForm({ saves, label, onConfirmed }: PaymentFormProps) {
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
      {!ready && (
        <div role="status" className="grid gap-3">
          <span className="sr-only">Loading the card fields</span>
          <Skeleton className="h-11" />
          <Skeleton className="h-11" />
        </div>
      )}
      <PaymentElement onReady={() => setReady(true)} />
      {message && <FormError>{message}</FormError>}
      <Button type="submit" variant="primary" size="lg" disabled={!ready} pending={pending}>
        {!pending && <Lock aria-hidden />}
        {label}
      </Button>
    </form>
  );
}
