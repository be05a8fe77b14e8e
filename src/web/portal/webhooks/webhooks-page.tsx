'use client';
import { useQuery } from '@tanstack/react-query';
import { Webhook } from 'lucide-react';
import { useState } from 'react';
import type { WebhookEndpointView, WebhookHealthView } from '#contract/webhooks.ts';
import { Badge } from '#web/ui/badge.tsx';
import { AddButton } from '#web/ui/button.tsx';
import { type Column, DataTable } from '#web/ui/data-table.tsx';
import { RowLink } from '#web/ui/data-table-row.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { PageHeader } from '#web/ui/page-header.tsx';
import { useInvalidate, useTRPC } from '../../trpc-client.tsx';
import { HealthChart } from './health-chart.tsx';
import { ReceiverMenu } from './receiver-menu.tsx';
import {
  healthLabel,
  problemMessage,
  RECEIVER_STATUS_LABELS,
  receiverName,
  subscribedEventsLabel,
} from './webhook-labels.ts';

const AddReceiver = lazyComponent(() => import('./receiver-dialog.tsx').then((module) => module.AddReceiver));

/** Maximum number of receivers of a clinic. */
const ALL = { size: 20 };
const POLL_INTERVAL_MS = 30_000;

type Row = WebhookEndpointView & { health: WebhookHealthView | undefined };

/** The clinic's webhook receivers and their health. */
export function WebhooksPage() {
  const trpc = useTRPC();
  const refresh = useInvalidate('webhooks');
  const [adding, setAdding] = useState(false);
  const receivers = useQuery(trpc.webhooks.list.queryOptions(ALL, { refetchInterval: POLL_INTERVAL_MS }));
  const health = useQuery(trpc.webhooks.health.queryOptions({}, { refetchInterval: POLL_INTERVAL_MS }));
  const add = <AddButton onClick={() => setAdding(true)}>Add receiver</AddButton>;
  const error = receivers.error ?? health.error;
  const exists = receivers.data && health.data;
  return (
    <>
      <PageHeader title="Webhooks" description="Your systems that receive what happens here" actions={add} />
      <DataTable<Row>
        label="Webhooks"
        columns={columnsFor(refresh)}
        rows={
          exists
            ? receivers.data.items.map((row) => ({
                ...row,
                health: health.data.find(({ endpoint_id }) => endpoint_id === row.id),
              }))
            : undefined
        }
        rowId={({ id }) => id}
        error={exists ? null : error}
        onRetry={() => void refresh()}
        empty={
          <EmptyState
            icon={Webhook}
            title="No receivers yet"
            description="Add the address of one of your systems. It receives what happens at your clinic: each event, signed, and tried again until it arrives."
            action={add}
          />
        }
      />
      {adding && <AddReceiver onClose={() => setAdding(false)} />}
    </>
  );
}

const MAX_SHOWN = 80;
/** The receiver's page shows the full URL. */
const shortened = (url: string): string => (url.length > MAX_SHOWN ? `${url.slice(0, MAX_SHOWN)}…` : url);

const columnsFor = (refresh: () => Promise<unknown>): Column<Row>[] => [
  {
    header: 'Receiver',
    phone: 'title',
    cell: (receiver) => (
      <span className="grid gap-0.5">
        <span className="wrap-anywhere md:min-w-40 xl:min-w-48">
          <RowLink href={`/settings/webhooks/${receiver.id}`}>{receiverName(receiver)}</RowLink>
        </span>
        <span className="text-[13px] text-muted wrap-anywhere">{shortened(receiver.url)}</span>
      </span>
    ),
  },
  {
    header: 'State',
    cell: (receiver) => {
      const [label, tone] = RECEIVER_STATUS_LABELS[receiver.status];
      return (
        <span className="grid justify-items-start gap-1 max-md:justify-items-end md:max-w-72 xl:min-w-44">
          <Badge tone={tone} dot>
            {label}
          </Badge>
          {receiver.failing_since && (
            <span className="text-[13px] text-muted">
              Since <DateTime value={receiver.failing_since} />
            </span>
          )}
          {receiver.off_because && <span className="text-[13px] text-muted">{problemMessage(receiver)}</span>}
        </span>
      );
    },
  },
  {
    header: 'Events',
    cell: ({ event_types, payload }) => (
      <span className="grid gap-0.5 md:min-w-24 md:max-w-64 xl:min-w-32">
        <span className="line-clamp-3">{subscribedEventsLabel(event_types)}</span>
        {payload === 'snapshot' && <span className="text-[13px] text-muted">with health data</span>}
      </span>
    ),
  },
  {
    header: 'Last 24 hours',
    cell: ({ health }) => (
      <span className="grid gap-0.5">
        {health && <HealthChart health={health} size="small" />}
        <span className="text-[13px] text-muted tabular-nums">{healthLabel(health)}</span>
      </span>
    ),
  },
  {
    header: 'Actions',
    hideHeader: true,
    align: 'end',
    phone: 'menu',
    cell: (receiver) => <ReceiverMenu receiver={receiver} onDeleted={refresh} />,
  },
];
