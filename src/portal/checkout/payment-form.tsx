'use client';
import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js';
import { Lock } from 'lucide-react';
import { useTheme } from 'next-themes';
import { type FormEvent, useMemo, useState } from 'react';
import type { CheckoutView } from '#contract/subscriptions.ts';
import { Button } from '#portal/ui/button.tsx';
import { Card } from '#portal/ui/card.tsx';
import { FormError } from '#portal/ui/form.tsx';
import { formatMoney } from '#portal/ui/format-money.ts';
import { Skeleton } from '#portal/ui/skeleton.tsx';
import { readAppearance } from './appearance.ts';
import { loadProcessor } from './load-processor.ts';

const NOT_LOADED = 'The payment form could not be loaded. Check your connection and open the link again.';

type PaymentFormProps = { checkout: CheckoutView; scriptUrl: string | null; onPaid: () => void };

/** The processor's own fields: what is typed there never passes through this page or our servers. */
export function PaymentForm({ checkout, scriptUrl, onPaid }: PaymentFormProps) {
  const { publishable_key, account_id } = checkout.payment_client;
  const [broken, setBroken] = useState(false);
  const { resolvedTheme } = useTheme();
  const stripe = useMemo(
    () =>
      loadProcessor({ publishable_key, account_id }, scriptUrl).catch(() => {
        setBroken(true);
        return null;
      }),
    [publishable_key, account_id, scriptUrl],
  );
  if (broken || !checkout.client_secret) return <FormError>{NOT_LOADED}</FormError>;
  return (
    <Elements
      key={resolvedTheme}
      stripe={stripe}
      options={{ clientSecret: checkout.client_secret, appearance: readAppearance() }}
    >
      <Fields checkout={checkout} onPaid={onPaid} onBroken={() => setBroken(true)} />
    </Elements>
  );
}

type FieldsProps = Pick<PaymentFormProps, 'checkout' | 'onPaid'> & { onBroken: () => void };

function Fields({ checkout, onPaid, onBroken }: FieldsProps) {
  const stripe = useStripe();
  const elements = useElements();
  const [ready, setReady] = useState(false);
  const [pending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const saving = checkout.next_action === 'setup';

  const confirm = async (event: FormEvent) => {
    event.preventDefault();
    if (!stripe || !elements || pending) return;
    setPending(true);
    setRefusal(null);
    const request = {
      elements,
      // Without the link's token, which stays in this tab: see takeCheckoutToken.
      confirmParams: { return_url: window.location.origin + window.location.pathname },
      redirect: 'if_required',
    } as const;
    const { error } = saving ? await stripe.confirmSetup(request) : await stripe.confirmPayment(request);
    setPending(false);
    if (error) setRefusal(error.message ?? 'The card was refused. Try another one.');
    else onPaid();
  };

  return (
    <Card className="p-5">
      <form onSubmit={confirm} className="grid gap-4">
        {!ready && (
          <div role="status" className="grid gap-3">
            <span className="sr-only">Loading the payment form…</span>
            <Skeleton className="h-11" />
            <Skeleton className="h-11" />
          </div>
        )}
        <PaymentElement onReady={() => setReady(true)} onLoadError={onBroken} />
        {refusal && <FormError>{refusal}</FormError>}
        <Button type="submit" variant="primary" size="lg" disabled={!ready} pending={pending}>
          {!pending && <Lock aria-hidden />}
          {saving ? 'Save card' : `Pay ${formatMoney(checkout.amount_due, checkout.currency)}`}
        </Button>
      </form>
    </Card>
  );
}
