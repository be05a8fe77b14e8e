'use client';
import { Elements } from '@stripe/react-stripe-js';
import type { Stripe } from '@stripe/stripe-js';
import { useEffect, useMemo, useState } from 'react';
import type { CheckoutView } from '#contract/checkout-links.ts';
import { faultOf } from '../../ui/api-faults.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { loadStripeJs } from '../../ui/stripe/load-stripe-js.ts';
import { useAppearance } from '../../ui/stripe/use-appearance.ts';
import { PaymentForm } from './payment-form.tsx';

const UNLOADABLE = faultOf('unreachable', 'The card fields could not be loaded. Check your connection and try again.');

type CardFieldsProps = {
  /** What the processor's script is opened with. */
  client: CheckoutView['payment_client'];
  clientSecret: string;
  /** Of the button that confirms. */
  label: string;
  /** A card is saved, and nothing charged. */
  saves: boolean;
  onConfirmed: () => Promise<void>;
};

/** The processor's card fields for one payment or one card to be saved, and the button that confirms. */
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
    // Of another payment the fields are made anew: they keep the secret that they began with.
    <Elements key={clientSecret} stripe={stripe} options={options}>
      <PaymentForm saves={saves} label={label} onConfirmed={onConfirmed} />
    </Elements>
  );
}
