'use client';
import { useQuery } from '@tanstack/react-query';
import type { EventView } from '#contract/events.ts';
import { Badge } from '#web/ui/badge.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Link } from '#web/ui/link.tsx';
import { Sheet } from '#web/ui/sheet.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { authorLabel, eventTitle } from '../event-names/event-labels.ts';
import { KIND_LABELS, lastAttemptMessage, stateLabel } from '../webhooks/webhook-labels.ts';

/** One event as the API returns it, and its webhook deliveries. */
export function EventSheet({ event, onClose }: { event: EventView; onClose: () => void }) {
  const json = JSON.stringify(event, null, 2);
  return (
    <Sheet open onOpenChange={onClose} title={eventTitle(event)}>
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-5 pb-5">
        <p className="text-[13px] text-muted">
          Number {event.sequence}, <DateTime value={event.created_at} />, by {authorLabel(event).toLowerCase()}.
        </p>
        <h3 className="text-xs font-medium text-muted">Sent by webhook</h3>
        <EventDeliveries eventId={event.id} />
        <div className="flex items-center justify-between gap-2">
          <h3 className="text-xs font-medium text-muted">As your systems read it</h3>
          <CopyButton value={json} size="sm" variant="ghost" aria-label="Copy the event" />
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
        <pre
          role="group"
          aria-label="The event as JSON"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
          tabIndex={0}
          className="min-h-48 flex-1 overflow-auto rounded-lg border border-line bg-sunken p-3 font-mono text-xs leading-relaxed"
        >
          {json}
        </pre>
      </div>
    </Sheet>
  );
}

/** Webhook deliveries of an event, with their status. */
function EventDeliveries({ eventId }: { eventId: string }) {
  const trpc = useTRPC();
  const deliveries = useQuery(trpc.webhooks.ofEvent.queryOptions({ id: eventId }));
  if (deliveries.error) return <ErrorState error={deliveries.error} onRetry={() => void deliveries.refetch()} />;
  if (!deliveries.data) return <Skeleton className="h-12" />;
  if (deliveries.data.length === 0)
    return <p className="text-[13px] text-muted">This was not sent to any webhook receiver.</p>;
  return (
    <ul aria-label="Sent to" className="divide-y divide-line rounded-lg border border-line">
      {deliveries.data.map((delivery) => {
        const [label, tone] = stateLabel(delivery);
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
              {lastAttemptMessage(delivery)}
              {delivery.kind !== 'live' && ` ${KIND_LABELS[delivery.kind]}.`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
