'use client';
import { useQuery } from '@tanstack/react-query';
import { Send, Undo2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { WebhookDeliveryView, WebhookEndpointView, WebhookHealthView } from '#contract/webhooks.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { type Column, DataTable } from '#web/ui/data-table.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Fact } from '#web/ui/fact.tsx';
import { formatInstant } from '#web/ui/format-time.ts';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { Link } from '#web/ui/link.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { FilterSelect } from '#web/ui/plain-select.tsx';
import { PageSkeleton } from '#web/ui/skeleton.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { eventTitle } from '../event-names/event-labels.ts';
import { useNow } from '../now.tsx';
import { usePages } from '../use-pages.ts';
import { useQueryParam } from '../use-query-param.ts';
import { HealthChart } from './health-chart.tsx';
import { receiverCode } from './receiver-code.ts';
import { ReceiverMenu, useTestReceiver } from './receiver-menu.tsx';
import {
  healthLabel,
  KIND_LABELS,
  lastAttemptMessage,
  nextAttemptMessage,
  problemMessage,
  RECEIVER_STATUS_LABELS,
  receiverName,
  stateLabel,
  subscribedEventsLabel,
} from './webhook-labels.ts';

const DeliverySheet = lazyComponent(() => import('./delivery-sheet.tsx').then((module) => module.DeliverySheet));

const DELIVERY_STATES = [
  { value: '', label: 'Any state' },
  { value: 'waiting', label: 'Waiting' },
  { value: 'delivered', label: 'Arrived' },
  { value: 'parked', label: 'Given up' },
] as const;
const isState = (value: string): value is 'waiting' | 'delivered' | 'parked' =>
  DELIVERY_STATES.some((state) => state.value === value && value !== '');

const PAGE_SIZE = 30;
/** The same for the facts, the chart and the list, so that they are asked for together and agree. */
const POLL_INTERVAL_MS = 3_000;
/** Polling stops when more pages are loaded: the user is looking at older deliveries. */
const MAX_PAGES = 2;

/** Deliveries to a receiver, the latest first. */
function DeliveriesTable({ receiver }: { receiver: WebhookEndpointView }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [stateParam, setState] = useQueryParam('state');
  const [shown, setShown] = useQueryParam('delivery');
  const input = { id: receiver.id, size: PAGE_SIZE, ...(isState(stateParam) && { state: stateParam }) };
  const deliveries = usePages<WebhookDeliveryView>({
    queryKey: trpc.webhooks.listDeliveries.queryKey(input),
    read: ({ starting_after }, signal) =>
      client.webhooks.listDeliveries.query({ ...input, ...(starting_after && { starting_after }) }, { signal }),
    polling: { intervalMs: POLL_INTERVAL_MS, maxPages: MAX_PAGES },
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
            options={[...DELIVERY_STATES]}
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

const NextAttempt = ({ delivery }: { delivery: WebhookDeliveryView }) => (
  <span className="text-[13px] text-muted">{nextAttemptMessage(delivery, useNow())}</span>
);

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
        {['waiting', 'held'].includes(delivery.state) && <NextAttempt delivery={delivery} />}
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

const ReplayDialog = lazyComponent(() => import('./replay-dialog.tsx').then((module) => module.ReplayDialog));

/** One receiver: health, deliveries, and sample code for its developers. */
export function ReceiverPage({ id }: { id: string }) {
  const trpc = useTRPC();
  const receiver = useQuery(trpc.webhooks.get.queryOptions({ id }, { refetchInterval: POLL_INTERVAL_MS }));
  const health = useQuery(trpc.webhooks.health.queryOptions({ id }, { refetchInterval: POLL_INTERVAL_MS }));
  if (receiver.error && !receiver.data)
    return (
      <>
        <PageHeader title="Webhook receiver" back={BACK_LINK} />
        <ErrorState error={receiver.error} onRetry={() => void receiver.refetch()} />
      </>
    );
  if (!receiver.data || health.isPending) return <PageSkeleton title="Webhook receiver" />;
  return <Receiver receiver={receiver.data} health={health.data?.[0]} />;
}

const BACK_LINK = { href: '/settings/webhooks', label: 'Webhooks' };

type Props = { receiver: WebhookEndpointView; health: WebhookHealthView | undefined };

function Receiver({ receiver, health }: Props) {
  const router = useRouter();
  const sendTest = useTestReceiver();
  const [replaying, setReplaying] = useState(false);
  const [label, tone] = RECEIVER_STATUS_LABELS[receiver.status];
  const problem = problemMessage(receiver);
  return (
    <>
      <PageHeader
        back={BACK_LINK}
        title={receiverName(receiver)}
        meta={
          <Badge tone={tone} dot>
            {label}
          </Badge>
        }
        description={<span className="wrap-anywhere">{receiver.url}</span>}
        actions={
          <>
            {receiver.enabled && (
              <Button pending={sendTest.isPending} onClick={() => sendTest.mutate({ id: receiver.id })}>
                <Send aria-hidden />
                Send a test
              </Button>
            )}
            <Button onClick={() => setReplaying(true)}>
              <Undo2 aria-hidden />
              Send again…
            </Button>
            <ReceiverMenu receiver={receiver} onDeleted={async () => router.push(BACK_LINK.href)} />
          </>
        }
      />
      <div className="grid grid-cols-1 gap-4">
        {problem && (
          <p role="status" className="rounded-lg border border-warn-ink/25 bg-warn-soft p-3 text-warn-ink">
            {problem}
            {receiver.failing_since && (
              <>
                {' '}
                It has not worked since <DateTime value={receiver.failing_since} />.
              </>
            )}
          </p>
        )}
        <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
          <HealthCard health={health} />
          <FactsCard receiver={receiver} />
        </div>
        <DeliveriesTable receiver={receiver} />
        <ReceiverCodeCard url={receiver.url} />
      </div>
      {replaying && <ReplayDialog receiver={receiver} onClose={() => setReplaying(false)} />}
    </>
  );
}

function FactsCard({ receiver }: { receiver: WebhookEndpointView }) {
  const { event_types, payload, chaos, application_id, old_secret_until, created_at } = receiver;
  return (
    <Card aria-label="What it receives">
      <CardHeader title="What it receives" />
      <CardBody>
        <dl className="grid gap-3">
          <Fact term="Events">{subscribedEventsLabel(event_types)}</Fact>
          <Fact term="Each message says">
            {payload === 'thin'
              ? 'That something happened, and to what. No health data.'
              : 'The record as it was at that moment. Health data leaves Carelane.'}
          </Fact>
          <Fact term="Belongs to">
            {application_id ? (
              <>
                An application, listed under{' '}
                <Button asChild variant="link" size="sm">
                  <Link href="/settings/credentials">API credentials</Link>
                </Button>
                . It is switched off when that is revoked.
              </>
            ) : (
              'Your clinic.'
            )}
          </Fact>
          <Fact term="Signing secret">
            {old_secret_until ? (
              <>
                The previous one is also valid until <DateTime value={old_secret_until} />.
              </>
            ) : (
              'One. It was shown once; you can make a new one at any time.'
            )}
          </Fact>
          {chaos && <Fact term="Simulated failures">{faultInjectionMessage(chaos)}</Fact>}
          <Fact term="Added">
            <DateTime value={created_at} />
          </Fact>
        </dl>
      </CardBody>
    </Card>
  );
}

function faultInjectionMessage({
  duplicates,
  delay_ms,
  fail_first,
  reorder,
}: Record<string, number | boolean>): string {
  const words = [
    duplicates && `${duplicates} more of each`,
    fail_first && `the first ${fail_first === 1 ? 'try gets' : `${fail_first} tries get`} lost`,
    delay_ms && `a delay of up to ${Number(delay_ms) / 1000} s`,
    reorder && 'another order',
  ].filter((word) => typeof word === 'string');
  return words.join(', ');
}

/** Sample code for the developers of the receiver. */
function ReceiverCodeCard({ url }: { url: string }) {
  const [shown, setShown] = useState<'curl' | 'node' | 'python'>('curl');
  const codes = receiverCode(url);
  const { file, label, code } = codes.find(({ value }) => value === shown) ?? codes[0];
  return (
    <Card aria-label="For the developers of the receiver">
      <CardHeader
        title="For the developers of the receiver"
        description="A receiver verifies each message with the signing secret, and handles each event once."
      />
      <CardBody>
        <ViewTabs label="Code in" options={codes} value={shown} onChange={setShown} />
        <CodeBlock key={shown} title={file} of={label} code={code} />
      </CardBody>
    </Card>
  );
}

/** The last 24 hours, as a chart and as a table of the same data. */
function HealthCard({ health }: { health: WebhookHealthView | undefined }) {
  const zone = useReaderZone();
  const busy = health?.hours.filter(({ delivered, failed }) => delivered + failed > 0) ?? [];
  return (
    <Card aria-label="Last 24 hours">
      <CardHeader title="Last 24 hours" description={<span className="tabular-nums">{healthLabel(health)}</span>} />
      <CardBody className="grid gap-3">
        <div>
          <HealthChart health={health} size="large" />
          <p aria-hidden className="flex justify-between text-xs text-muted">
            <span>24 hours ago</span>
            <span>now</span>
          </p>
        </div>
        <p className="text-[13px] text-muted">
          Each bar is one hour: deliveries above the line, failed tries below it.
        </p>
        {busy.length > 0 && (
          <details className="text-[13px]">
            <summary className="min-h-6 cursor-default rounded-sm">The same as a table</summary>
            <table className="mt-2 w-full text-left tabular-nums" aria-label="Tries by the hour">
              <thead className="text-muted">
                <tr>
                  <th scope="col" className="font-medium">
                    Hour
                  </th>
                  <th scope="col" className="text-right font-medium">
                    Arrived
                  </th>
                  <th scope="col" className="text-right font-medium">
                    Failed
                  </th>
                </tr>
              </thead>
              <tbody>
                {busy.map(({ at, delivered, failed }) => (
                  <tr key={at}>
                    <th scope="row" className="font-normal">
                      {formatInstant(at, 'time', zone)}
                    </th>
                    <td className="text-right">{delivered}</td>
                    <td className="text-right">{failed}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        )}
      </CardBody>
    </Card>
  );
}
