'use client';
import { Elements } from '@stripe/react-stripe-js';
import type { Stripe } from '@stripe/stripe-js';
import { useEffect, useMemo, useState } from 'react';
import type { CheckoutView } from '#contract/checkout-links.ts';
import { createApiError } from '../../ui/api-errors.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { loadStripeJs } from '../../ui/stripe/load-stripe-js.ts';
import { useAppearance } from '../../ui/stripe/use-appearance.ts';
import { PaymentForm } from './payment-form.tsx';

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
    let isWanted = true;
    loadStripeJs({ publishable_key, account_id, script_url }).then(
      (loaded) => isWanted && setStripe(loaded),
      () => isWanted && setFailed(true),
    );
    return () => {
      isWanted = false;
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
