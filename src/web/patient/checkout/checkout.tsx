'use client';
import { useCallback, useEffect, useState } from 'react';
import type { CheckoutView } from '#contract/checkout-links.ts';
import { faultOf, readApiFaults } from '../../ui/api-faults.ts';
import { takeLinkToken } from '../../ui/links/link-token.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { DeadLink, LinkTrouble } from '../frame/dead-link.tsx';
import { PatientPage } from '../frame/patient-page.tsx';
import { CardStep } from './card-step.tsx';
import { CheckoutOutcome } from './checkout-outcome.tsx';
import { openLink, redeemCode } from './open-link.ts';
import { waitUntilSettled } from './wait-until-settled.ts';

const NO_TOKEN = faultOf('not_found', 'Open the whole link from your message, or ask your clinic for a new one.');

/** The page behind a checkout link: opens it, takes the card, and shows the outcome. */
export function Checkout() {
  const [view, setView] = useState<CheckoutView | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isRefused, setRefused] = useState(false);

  const load = useCallback(async (read: (token: string) => Promise<CheckoutView>) => {
    const token = takeLinkToken('checkout');
    setError(token ? null : NO_TOKEN);
    if (!token) return;
    try {
      setView(await read(token));
    } catch (refusal) {
      setError(refusal);
    }
  }, []);

  const redeem = async (code: string) => {
    const token = takeLinkToken('checkout');
    if (token) setView(await redeemCode(token, code));
  };

  useEffect(() => {
    // A bank's page returns here with its outcome in the query, which may arrive before Stripe's own update. After a
    // declined payment there is nothing to wait for.
    const outcome = new URLSearchParams(window.location.search).get('redirect_status');
    setRefused(outcome === 'failed');
    void load(outcome && outcome !== 'failed' ? waitUntilSettled : openLink);
  }, [load]);

  if (error) {
    const isGone = readApiFaults(error)[0].code === 'not_found';
    return (
      <main className="flex-1">
        {isGone ? (
          <DeadLink
            title="This payment page cannot be opened"
            error={error}
            why="The link is not complete, was used already, or is too old."
            askFor="for a new one"
          />
        ) : (
          <LinkTrouble
            title="This payment page cannot be opened now"
            error={error}
            onRetry={() => void load(openLink)}
          />
        )}
      </main>
    );
  }
  if (!view)
    return (
      <main className="grid flex-1 content-start gap-4" aria-busy>
        <h1 className="sr-only">Payment</h1>
        <p role="status" className="sr-only">
          Opening your payment page
        </p>
        <Skeleton className="h-6 w-48" />
        <Skeleton className="h-24" />
        <Skeleton className="h-40" />
      </main>
    );
  return (
    <PatientPage clinic={view.clinic}>
      {view.next_action === 'none' || !view.client_secret ? (
        <CheckoutOutcome view={view} />
      ) : (
        <CardStep
          view={view}
          isRefused={isRefused}
          onConfirmed={() => {
            setRefused(false);
            return load(waitUntilSettled);
          }}
          onRedeem={redeem}
        />
      )}
    </PatientPage>
  );
}
