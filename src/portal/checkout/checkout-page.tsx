'use client';
import { useCallback, useEffect, useState } from 'react';
import type { CheckoutView } from '#contract/subscriptions.ts';
import { ErrorState } from '#portal/ui/error-state.tsx';
import { Skeleton } from '#portal/ui/skeleton.tsx';
import { PatientPage } from '../patient-pages/patient-page.tsx';
import { CheckoutDone } from './checkout-done.tsx';
import { CheckoutSummary } from './checkout-summary.tsx';
import { takeCheckoutToken } from './checkout-token.ts';
import { openCheckout } from './open-checkout.ts';
import { PaymentForm } from './payment-form.tsx';

type State =
  | { step: 'opening' }
  | { step: 'failed'; error: unknown }
  | { step: 'paying'; checkout: CheckoutView }
  | { step: 'done'; checkout: CheckoutView };

const NO_TOKEN = {
  data: {
    errors: [{ code: 'not_found', title: 'This link is not complete. Open it again from the message of your clinic.' }],
  },
};

/** `scriptUrl`: where Stripe.js comes from when not from Stripe. */
export function CheckoutPage({ scriptUrl }: { scriptUrl: string | null }) {
  const [state, setState] = useState<State>({ step: 'opening' });
  const open = useCallback(async () => {
    setState({ step: 'opening' });
    try {
      const token = takeCheckoutToken();
      if (!token) throw NO_TOKEN;
      const checkout = await openCheckout(token);
      setState({ step: checkout.next_action === 'none' ? 'done' : 'paying', checkout });
    } catch (error) {
      setState({ step: 'failed', error });
    }
  }, []);
  useEffect(() => {
    void open();
  }, [open]);

  if (state.step === 'opening') return <Opening />;
  if (state.step === 'failed')
    return (
      <PatientPage>
        <h1 className="sr-only">Payment</h1>
        <ErrorState error={state.error} title="This link cannot be opened" onRetry={() => void open()} />
      </PatientPage>
    );
  const { checkout } = state;
  return (
    <PatientPage
      clinic={checkout.clinic}
      note={`Your card goes to our payment provider; ${checkout.clinic} never sees its number.`}
    >
      {state.step === 'done' ? (
        <CheckoutDone checkout={checkout} />
      ) : (
        <>
          <CheckoutSummary checkout={checkout} />
          <PaymentForm checkout={checkout} scriptUrl={scriptUrl} onPaid={() => setState({ step: 'done', checkout })} />
        </>
      )}
    </PatientPage>
  );
}

function Opening() {
  return (
    <PatientPage>
      <div role="status" className="grid gap-4">
        <h1 className="sr-only">Payment</h1>
        <span className="sr-only">Opening your payment page…</span>
        <Skeleton className="h-28 rounded-xl" />
        <Skeleton className="h-64 rounded-xl" />
      </div>
    </PatientPage>
  );
}
