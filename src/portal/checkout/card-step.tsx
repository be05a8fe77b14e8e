'use client';
import { Elements } from '@stripe/react-stripe-js';
import type { Stripe } from '@stripe/stripe-js';
import { useEffect, useMemo, useState } from 'react';
import type { CheckoutView } from '#contract/subscriptions.ts';
import { faultOf } from '../ui/api-faults.ts';
import { ErrorState } from '../ui/error-state.tsx';
import { loadStripeJs } from './load-stripe-js.ts';
import { PaymentForm } from './payment-form.tsx';
import { PlanSummary } from './plan-summary.tsx';
import { useAppearance } from './use-appearance.ts';

const UNLOADABLE = faultOf('unreachable', 'The card fields could not be loaded. Check your connection and try again.');

type CardStepProps = { view: CheckoutView; stripeScript: string | null; onConfirmed: () => Promise<void> };

/** The page's one question: this plan, with which card? */
export function CardStep({ view, stripeScript, onConfirmed }: CardStepProps) {
  const appearance = useAppearance();
  const [stripe, setStripe] = useState<Stripe | null>(null);
  const [failed, setFailed] = useState(false);
  const { publishable_key, account_id } = view.payment_client;
  useEffect(() => {
    if (stripe || failed) return;
    loadStripeJs(stripeScript, { publishable_key, account_id }).then(setStripe, () => setFailed(true));
  }, [stripe, failed, stripeScript, publishable_key, account_id]);
  const clientSecret = view.client_secret ?? '';
  const options = useMemo(() => ({ clientSecret, appearance }), [clientSecret, appearance]);

  return (
    <div className="grid gap-6">
      <h1 className="text-xl font-semibold tracking-tight">
        {view.next_action === 'setup' ? 'Save a card' : 'Complete your payment'}
      </h1>
      <PlanSummary view={view} />
      {failed ? (
        <ErrorState error={UNLOADABLE} onRetry={() => setFailed(false)} />
      ) : (
        <Elements stripe={stripe} options={options}>
          <PaymentForm view={view} onConfirmed={onConfirmed} />
        </Elements>
      )}
    </div>
  );
}
