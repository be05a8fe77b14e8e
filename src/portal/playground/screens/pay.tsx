'use client';
import dynamic from 'next/dynamic';
import { useCallback, useEffect, useState } from 'react';
import { Loading } from '../loading.tsx';
import type { Go } from '../screen.ts';
import { readSubscription } from '../steps/load-subscription.ts';
import { waitUntilSettled } from '../steps/wait-until-settled.ts';
import { useLoaded } from '../use-loaded.ts';

// Stripe's part is wanted by whoever pays, and by nobody else.
const PayByCard = dynamic(() => import('./pay-by-card.tsx').then((module) => module.PayByCard), { ssr: false });

type PayProps = { id: string; stripeScript: string | null; go: Go };

/** Whether this is the way back from a bank's page, which is a moment ahead of the news. Its traces leave the address. */
function isBackFromBank(): boolean {
  const isBack = new URLSearchParams(window.location.search).has('redirect_status');
  if (isBack) window.history.replaceState(window.history.state, '', window.location.pathname);
  return isBack;
}

export function Pay({ id, stripeScript, go }: PayProps) {
  const [isConfirmed, setConfirmed] = useState(false);
  const load = useCallback(
    () => (isConfirmed || isBackFromBank() ? waitUntilSettled(id) : readSubscription(id)),
    [id, isConfirmed],
  );
  const { data: subscription, error, reload } = useLoaded(load);
  const isOver = subscription !== null && (isConfirmed || subscription.next_action === 'none');
  useEffect(() => {
    if (isOver) go({ at: 'plan' });
  }, [isOver, go]);
  if (!subscription || isOver) return <Loading error={error} what="your payment" onRetry={reload} />;
  return <PayByCard subscription={subscription} stripeScript={stripeScript} onConfirmed={() => setConfirmed(true)} />;
}
