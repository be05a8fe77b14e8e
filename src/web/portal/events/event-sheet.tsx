'use client';
import type { EventView } from '#contract/events.ts';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { Sheet } from '#web/ui/sheet.tsx';
import { authorOf, titleOf } from '../event-names/event-words.ts';
import { EventDeliveries } from './event-deliveries.tsx';

/** One event as the API returns it, and its webhook deliveries. */
export function EventSheet({ event, onClose }: { event: EventView; onClose: () => void }) {
  const json = JSON.stringify(event, null, 2);
  return (
    <Sheet open onOpenChange={onClose} title={titleOf(event)}>
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-5 pb-5">
        <p className="text-[13px] text-muted">
          Number {event.sequence}, <DateTime value={event.created_at} />, by {authorOf(event).toLowerCase()}.
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
