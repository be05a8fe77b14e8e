'use client';
import { useQuery } from '@tanstack/react-query';
import { Send, Undo2 } from 'lucide-react';
import dynamic from 'next/dynamic';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { WebhookEndpointView, WebhookHealthView } from '#contract/webhooks.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { PageSkeleton } from '#web/ui/page-skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { DeliveriesTable } from './deliveries-table.tsx';
import { HealthCard } from './health-card.tsx';
import { ReceiverCodeCard } from './receiver-code-card.tsx';
import { ReceiverMenu, useTestReceiver } from './receiver-menu.tsx';
import { chosenWords, nameOfReceiver, RECEIVER_STATES, troubleWords } from './words.ts';

const ReplayDialog = dynamic(() => import('./replay-dialog.tsx').then((module) => module.ReplayDialog), { ssr: false });

const LOOK_AGAIN_MS = 10_000;

/** One receiver: health, deliveries, and sample code for its developers. */
export function ReceiverPage({ id }: { id: string }) {
  const trpc = useTRPC();
  const receiver = useQuery(trpc.webhooks.get.queryOptions({ id }, { refetchInterval: LOOK_AGAIN_MS }));
  const health = useQuery(trpc.webhooks.health.queryOptions({ id }, { refetchInterval: LOOK_AGAIN_MS }));
  if (receiver.error && !receiver.data)
    return (
      <>
        <PageHeader title="Webhook receiver" back={BACK} />
        <ErrorState error={receiver.error} onRetry={() => void receiver.refetch()} />
      </>
    );
  if (!receiver.data || health.isPending) return <PageSkeleton />;
  return <Receiver receiver={receiver.data} health={health.data?.[0]} />;
}

const BACK = { href: '/settings/webhooks', label: 'Webhooks' };

type Props = { receiver: WebhookEndpointView; health: WebhookHealthView | undefined };

function Receiver({ receiver, health }: Props) {
  const router = useRouter();
  const tested = useTestReceiver();
  const [replaying, setReplaying] = useState(false);
  const [label, tone] = RECEIVER_STATES[receiver.status];
  const trouble = troubleWords(receiver);
  return (
    <>
      <PageHeader
        back={BACK}
        title={nameOfReceiver(receiver)}
        meta={
          <Badge tone={tone} dot>
            {label}
          </Badge>
        }
        description={<span className="wrap-anywhere">{receiver.url}</span>}
        actions={
          <>
            {receiver.enabled && (
              <Button pending={tested.isPending} onClick={() => tested.mutate({ id: receiver.id })}>
                <Send aria-hidden />
                Send a test
              </Button>
            )}
            <Button onClick={() => setReplaying(true)}>
              <Undo2 aria-hidden />
              Send again…
            </Button>
            <ReceiverMenu receiver={receiver} onDeleted={async () => router.push(BACK.href)} />
          </>
        }
      />
      <div className="grid grid-cols-1 gap-4">
        {trouble && (
          <p role="status" className="rounded-lg border border-warn-ink/25 bg-warn-soft p-3 text-warn-ink">
            {trouble}
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
    <Card aria-label="What it is sent">
      <CardHeader title="What it is sent" />
      <CardBody>
        <dl className="grid gap-3">
          <Fact name="Events">{chosenWords(event_types)}</Fact>
          <Fact name="Each message says">
            {payload === 'thin'
              ? 'That something happened, and to what. No health data.'
              : 'The record as it was at that moment. Health data leaves Carelane.'}
          </Fact>
          <Fact name="Belongs to">
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
          <Fact name="Signing secret">
            {old_secret_until ? (
              <>
                The one before counts too, until <DateTime value={old_secret_until} />.
              </>
            ) : (
              'One. It was shown when it was made; a new one can be made at any time.'
            )}
          </Fact>
          {chaos && <Fact name="Trouble on purpose">{troubleOnPurpose(chaos)}</Fact>}
          <Fact name="Added">
            <DateTime value={created_at} />
          </Fact>
        </dl>
      </CardBody>
    </Card>
  );
}

function troubleOnPurpose({ duplicates, delay_ms, fail_first, reorder }: Record<string, number | boolean>): string {
  const words = [
    duplicates && `${duplicates} more of each`,
    fail_first && `the first ${fail_first === 1 ? 'try gets' : `${fail_first} tries get`} lost`,
    delay_ms && `a delay of up to ${Number(delay_ms) / 1000} s`,
    reorder && 'another order',
  ].filter((word) => typeof word === 'string');
  return words.join(', ');
}

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div>
    <dt className="text-[13px] text-muted">{name}</dt>
    <dd className="wrap-anywhere">{children}</dd>
  </div>
);
