'use client';
import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js';
import type { Stripe } from '@stripe/stripe-js';
import { Lock } from 'lucide-react';
import { type FormEvent, useEffect, useMemo, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { formatMoney } from '#web/ui/format-money.ts';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { loadStripeJs } from '../../../web/ui/stripe/load-stripe-js.ts';
import { useAppearance } from '../../../web/ui/stripe/use-appearance.ts';
import { ErrorMessage } from '../error-message.tsx';
import { Loading } from '../loading.tsx';
import { priceOfSubscription, termsOf } from '../plan-labels.ts';
import type { Subscription } from '../steps/api-types.ts';
import { confirmCard } from '../steps/confirm-card.ts';
import { secretOf } from '../steps/load-subscription.ts';
import { useAction } from '../use-action.ts';

type PayByCardProps = {
  subscription: Subscription;
  onConfirmed: () => void;
};

/** Stripe.js, initialised for the clinic's account with the subscription's client secret. */
export function PayByCard(props: PayByCardProps) {
  const { subscription } = props;
  const appearance = useAppearance();
  const [stripe, setStripe] = useState<Stripe | null>(null);
  const [error, setError] = useState<unknown>(null);
  const { publishable_key, account_id, script_url } = subscription.payment_client;
  useEffect(() => {
    if (stripe || error) return;
    loadStripeJs({ publishable_key, account_id, script_url }).then(setStripe, setError);
  }, [stripe, error, publishable_key, account_id, script_url]);
  const clientSecret = secretOf(subscription) ?? '';
  const options = useMemo(() => ({ clientSecret, appearance }), [clientSecret, appearance]);
  if (!stripe) return <Loading error={error} what="the card fields" onRetry={() => setError(null)} />;
  return (
    <Elements stripe={stripe} options={options}>
      <CardForm {...props} />
    </Elements>
  );
}

function CardForm({ subscription, onConfirmed }: PayByCardProps) {
  const stripe = useStripe();
  const elements = useElements();
  const zone = useReaderZone();
  const [isReady, setReady] = useState(false);
  const { pending, error, run } = useAction();
  const { next_action, latest_invoice } = subscription;
  const confirm = (event: FormEvent) => {
    event.preventDefault();
    if (!stripe || !elements) return;
    void run(async () => {
      if (await confirmCard(stripe, elements, next_action)) onConfirmed();
    });
  };
  return (
    <form onSubmit={confirm} className="grid gap-4">
      <div className="rounded-xl border border-line bg-raised p-4">
        <h3 className="text-base font-semibold">{subscription.name ?? 'Subscription'}</h3>
        <p>{priceOfSubscription(subscription)}</p>
        <p className="text-muted">
          {next_action === 'setup'
            ? `${termsOf(subscription, zone)} Nothing is charged today.`
            : 'Charged to this card.'}
        </p>
      </div>
      {!isReady && <Skeleton className="h-32" />}
      <PaymentElement onReady={() => setReady(true)} />
      <p className="text-[13px] text-muted">
        Sandbox: 4242 4242 4242 4242 pays, 4000 0000 0000 0002 is declined; any date ahead, any security code.
      </p>
      <ErrorMessage error={error} />
      <Button type="submit" variant="primary" size="lg" disabled={!isReady} pending={pending}>
        {!pending && <Lock aria-hidden />}
        {next_action === 'setup' || !latest_invoice
          ? 'Save card'
          : `Pay ${formatMoney(latest_invoice.amount_due, latest_invoice.currency)}`}
      </Button>
    </form>
  );
}
