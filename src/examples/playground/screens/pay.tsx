'use client';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { Loading } from '../loading.tsx';
import type { Go } from '../screen.ts';
import { readSubscription, secretOf } from '../steps/load-subscription.ts';
import { waitUntilSettled } from '../steps/wait-until-settled.ts';
import { useLoaded } from '../use-loaded.ts';

// Loaded only when a payment is due.
const PayByCard = lazy(() => import('./pay-by-card.tsx').then(({ PayByCard }) => ({ default: PayByCard })));

const NO_SECRET = new Error('Payments are not available at the moment. Try again in a minute.');

type PayProps = { id: string; go: Go };

/**
 * Whether the page was opened by a redirect from the bank after a confirmation, which may arrive before the event.
 * Removes the redirect's parameters from the URL.
 */
function isBackFromBank(): boolean {
  const outcome = new URLSearchParams(window.location.search).get('redirect_status');
  if (outcome) window.history.replaceState(window.history.state, '', window.location.pathname);
  return outcome !== null && outcome !== 'failed';
}

export function Pay({ id, go }: PayProps) {
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
  const loading = <Loading error={error} what="your payment" onRetry={reload} />;
  if (!subscription || isOver) return loading;
  if (!secretOf(subscription)) return <Loading error={NO_SECRET} what="your payment" onRetry={reload} />;
  return (
    <Suspense fallback={loading}>
      <PayByCard subscription={subscription} onConfirmed={() => setConfirmed(true)} />
    </Suspense>
  );
}
