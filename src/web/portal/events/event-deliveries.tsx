'use client';
import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { Badge } from '#web/ui/badge.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { KINDS, lastWords, stateOf } from '../webhooks/words.ts';

/** Webhook deliveries of an event, with their status. */
export function EventDeliveries({ eventId }: { eventId: string }) {
  const trpc = useTRPC();
  const deliveries = useQuery(trpc.webhooks.ofEvent.queryOptions({ id: eventId }));
  if (deliveries.error) return <ErrorState error={deliveries.error} onRetry={() => void deliveries.refetch()} />;
  if (!deliveries.data) return <Skeleton className="h-12" />;
  if (deliveries.data.length === 0)
    return <p className="text-[13px] text-muted">This was not sent to any webhook receiver.</p>;
  return (
    <ul aria-label="Sent to" className="divide-y divide-line rounded-lg border border-line">
      {deliveries.data.map((delivery) => {
        const [label, tone] = stateOf(delivery);
        return (
          <li key={delivery.id} className="grid gap-1 px-3 py-2">
            <span className="flex items-start justify-between gap-2">
              <Link
                href={`/settings/webhooks/${delivery.endpoint_id}?delivery=${delivery.id}`}
                className="min-h-6 rounded-sm font-medium wrap-anywhere text-accent-ink underline underline-offset-2"
              >
                {new URL(delivery.endpoint_url).host}
              </Link>
              <Badge tone={tone} dot>
                {label}
              </Badge>
            </span>
            <span className="text-[13px] text-muted">
              {lastWords(delivery)}
              {delivery.kind !== 'live' && ` ${KINDS[delivery.kind]}.`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
