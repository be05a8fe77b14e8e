'use client';
import { useQuery } from '@tanstack/react-query';
import type { SubscriptionPreviewView } from '#contract/subscription-changes.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { Button } from '#web/ui/button.tsx';
import { formatMoney } from '#web/ui/format-money.ts';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { FROM_PROVIDER, useTRPC } from '../../trpc-client.tsx';
import { billParts } from './bill-parts.ts';

/** Amount of the next bill in the current state; requested from Stripe once the page is loaded. */
export function NextBill({ subscription: { id, items } }: { subscription: SubscriptionView }) {
  const trpc = useTRPC();
  const preview = useQuery({
    ...trpc.subscriptions.preview.queryOptions(
      {
        id,
        price_ids: items.map(({ price_id }) => price_id),
        quantities: items.map(({ quantity }) => quantity),
      },
      FROM_PROVIDER,
    ),
    retry: false,
  });
  if (preview.isPending)
    return (
      <span role="status" className="inline-flex items-center">
        <Skeleton className="h-3.5 w-16" />
        <span className="sr-only">Asking Stripe how much</span>
      </span>
    );
  if (preview.error)
    return (
      <>
        <span>Stripe did not say how much.</span>
        <Button variant="ghost" size="sm" onClick={() => void preview.refetch()}>
          Ask again
        </Button>
      </>
    );
  return <Amount preview={preview.data} />;
}

function Amount({ preview: { next_invoice: bill, currency } }: { preview: SubscriptionPreviewView }) {
  if (!bill) return null;
  const parts = billParts(bill, currency);
  return (
    <>
      <span className="font-medium text-ink tabular-nums">{formatMoney(bill.amount_due, currency)}</span>
      {parts && <span className="text-[13px]">{parts}</span>}
    </>
  );
}
