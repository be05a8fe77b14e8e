'use client';
import { Send } from 'lucide-react';
import dynamic from 'next/dynamic';
import type { WebhookDeliveryView, WebhookEndpointView } from '#contract/webhooks.ts';
import { Badge } from '#web/ui/badge.tsx';
import { type Column, DataTable } from '#web/ui/data-table.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { FilterSelect } from '#web/ui/filter-select.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { eventTitle } from '../event-names/event-labels.ts';
import { usePages } from '../use-pages.ts';
import { useQueryParam } from '../use-query-param.ts';
import { KIND_LABELS, lastAttemptMessage, nextAttemptMessage, stateLabel } from './webhook-labels.ts';

const DeliverySheet = dynamic(() => import('./delivery-sheet.tsx').then((module) => module.DeliverySheet), {
  ssr: false,
});

const STATES = [
  { value: '', label: 'Any state' },
  { value: 'waiting', label: 'Waiting' },
  { value: 'delivered', label: 'Arrived' },
  { value: 'parked', label: 'Given up' },
] as const;
const isState = (value: string): value is 'waiting' | 'delivered' | 'parked' =>
  STATES.some((state) => state.value === value && value !== '');

const A_PAGE = 30;
const POLL_INTERVAL_MS = 3_000;
/** Polling stops when more pages are loaded: the user is looking at older deliveries. */
const MAX_PAGES = 2;

/** Deliveries to a receiver, the latest first. */
export function DeliveriesTable({ receiver }: { receiver: WebhookEndpointView }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [stateParam, setState] = useQueryParam('state');
  const [shown, setShown] = useQueryParam('delivery');
  const input = { id: receiver.id, size: A_PAGE, ...(isState(stateParam) && { state: stateParam }) };
  const deliveries = usePages<WebhookDeliveryView>({
    queryKey: trpc.webhooks.listDeliveries.queryKey(input),
    read: ({ starting_after }, signal) =>
      client.webhooks.listDeliveries.query({ ...input, ...(starting_after && { starting_after }) }, { signal }),
    again: { everyMs: POLL_INTERVAL_MS, maxPages: MAX_PAGES },
  });
  return (
    <div className="grid grid-cols-1 gap-3">
      <h2 className="font-semibold">What was sent</h2>
      <DataTable<WebhookDeliveryView>
        {...deliveries}
        more={{ ...deliveries.more, noun: 'message' }}
        label="What was sent"
        columns={columnsFor(setShown)}
        rowId={({ id }) => id}
        toolbar={
          <FilterSelect
            label="State"
            options={[...STATES]}
            value={isState(stateParam) ? stateParam : ''}
            onChange={setState}
          />
        }
        empty={
          isState(stateParam) ? (
            <EmptyState icon={Send} title="Nothing is in this state" description="Choose another state, or any." />
          ) : (
            <EmptyState
              icon={Send}
              title="Nothing was sent yet"
              description="What happens at your clinic from now on shows here as it is sent. A test shows at once."
            />
          )
        }
      />
      {shown && <DeliverySheet id={shown} receiver={receiver} onClose={() => setShown('')} />}
    </div>
  );
}

const columnsFor = (onOpen: (id: string) => void): Column<WebhookDeliveryView>[] => [
  {
    header: 'Event',
    phone: 'title',
    cell: (delivery) => (
      <span className="grid gap-0.5">
        <button
          type="button"
          onClick={() => onOpen(delivery.id)}
          className="min-h-6 text-left font-medium outline-none after:absolute after:inset-0 hover:underline focus-visible:after:rounded-sm focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-ring"
        >
          {eventTitle(delivery)}
        </button>
        {delivery.kind !== 'live' && <span className="text-[13px] text-muted">{KIND_LABELS[delivery.kind]}</span>}
      </span>
    ),
  },
  {
    header: 'State',
    phone: 'corner',
    cell: (delivery) => {
      const [label, tone] = stateLabel(delivery);
      return (
        <Badge tone={tone} dot>
          {label}
        </Badge>
      );
    },
  },
  {
    header: 'How it went',
    wraps: true,
    cell: (delivery) => (
      <span className="grid gap-0.5">
        <span>{lastAttemptMessage(delivery)}</span>
        {['waiting', 'held'].includes(delivery.state) && (
          <span className="text-[13px] text-muted">{nextAttemptMessage(delivery, Date.now())}</span>
        )}
      </span>
    ),
  },
  { header: 'Tries', align: 'end', cell: ({ attempts }) => <span className="tabular-nums">{attempts}</span> },
  {
    header: 'About',
    phone: 'hidden',
    roomy: true,
    cell: ({ object_id, kind }) =>
      kind === 'test' ? (
        <span className="text-muted">–</span>
      ) : (
        <code className="block min-w-40 font-mono text-xs break-all text-muted">{object_id}</code>
      ),
  },
  { header: 'When', cell: ({ created_at }) => <DateTime value={created_at} stacked /> },
  {
    header: 'Number',
    align: 'end',
    phone: 'hidden',
    roomy: true,
    cell: ({ sequence }) => <span className="text-muted tabular-nums">{sequence === 0 ? '–' : sequence}</span>,
  },
];
