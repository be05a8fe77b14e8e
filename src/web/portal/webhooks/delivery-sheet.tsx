'use client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { WebhookDeliveryWithRequestView, WebhookEndpointView } from '#contract/webhooks.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { pluralize } from '#web/ui/count-label.ts';
import { DateTime } from '#web/ui/date-time.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Fact } from '#web/ui/fact.tsx';
import { Sheet } from '#web/ui/sheet.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPC } from '../../trpc-client.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { eventTitle } from '../event-names/event-labels.ts';
import { useNow } from '../now.tsx';
import { useReplay } from './use-replay.ts';
import { KIND_LABELS, lastAttemptMessage, nextAttemptMessage, stateLabel } from './webhook-labels.ts';

const POLL_INTERVAL_MS = 3_000;

type Props = { id: string; receiver: WebhookEndpointView; onClose: () => void };

/** One delivery: state, request, response, and possible actions. */
export function DeliverySheet({ id, receiver, onClose }: Props) {
  const trpc = useTRPC();
  const delivery = useQuery(
    trpc.webhooks.delivery.queryOptions(
      { id },
      { refetchInterval: ({ state }) => (isMoving(state.data) ? POLL_INTERVAL_MS : false) },
    ),
  );
  return (
    <Sheet
      open
      onOpenChange={(open) => !open && onClose()}
      title={delivery.data ? eventTitle(delivery.data) : 'What was sent'}
    >
      <div className="overflow-y-auto px-5 pb-6">
        {delivery.error && !delivery.data ? (
          <ErrorState error={delivery.error} onRetry={() => void delivery.refetch()} />
        ) : delivery.data ? (
          <Delivery delivery={delivery.data} receiver={receiver} />
        ) : (
          <div className="grid gap-3" aria-busy>
            <Skeleton className="h-14" />
            <Skeleton className="h-40" />
          </div>
        )}
      </div>
    </Sheet>
  );
}

const isMoving = (delivery: WebhookDeliveryWithRequestView | undefined) =>
  delivery ? ['waiting', 'sending', 'held'].includes(delivery.state) : false;

function Delivery({ delivery, receiver }: { delivery: WebhookDeliveryWithRequestView; receiver: WebhookEndpointView }) {
  const [label, tone] = stateLabel(delivery);
  const { request, answer, last_status, last_ms, last_tried_at } = delivery;
  return (
    <div className="grid grid-cols-1 gap-4">
      <dl className="grid gap-3">
        <Fact term="State">
          <Badge tone={tone} dot>
            {label}
          </Badge>
        </Fact>
        <Fact term="Last try">
          {lastAttemptMessage(delivery)}
          {last_tried_at && (
            <span className="block text-[13px] text-muted">
              <DateTime value={last_tried_at} />
              {last_ms !== null && `, it took ${pluralize(last_ms / 1000, 'second')}`}
            </span>
          )}
        </Fact>
        <Fact term="Next">{nextAttemptMessage(delivery, useNow())}</Fact>
        <Fact term="Tries">{delivery.attempts}</Fact>
        <Fact term="Reason">{KIND_LABELS[delivery.kind]}</Fact>
        {delivery.kind !== 'test' && (
          <>
            <Fact term="Number of the event">{delivery.sequence}</Fact>
            <Fact term="About">
              <code className="font-mono text-[13px]">{delivery.object_id}</code>
            </Fact>
          </>
        )}
      </dl>
      <Actions delivery={delivery} receiver={receiver} />
      <h3 className="font-semibold">What was sent</h3>
      {request ? (
        <>
          <CodeBlock title="Headers" of="what was sent" code={headText(request)} />
          <CodeBlock title="Body" of="what was sent" code={readable(request.body)} copied={request.body} />
        </>
      ) : (
        <p className="text-muted">
          {delivery.attempts === 0 ? 'Nothing yet.' : 'Nothing was sent at the last try, or it is no longer stored.'}
        </p>
      )}
      <h3 className="font-semibold">Response</h3>
      {last_status === null ? (
        <p className="text-muted">No answer.</p>
      ) : answer ? (
        <CodeBlock title={`Answer ${last_status}`} of="the response" code={answer} />
      ) : (
        <p className="text-muted">
          {answer === ''
            ? `${last_status}, without a body.`
            : `${last_status}. The body of the response is no longer stored.`}
        </p>
      )}
    </div>
  );
}

const headText = ({ url, headers }: { url: string; headers: Record<string, string> }) =>
  [`POST ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\n');

/** Adds line breaks for reading; the signature and the copy use the text as it was sent. */
const readable = (body: string) => JSON.stringify(JSON.parse(body), null, 2);

function Actions({ delivery, receiver }: { delivery: WebhookDeliveryWithRequestView; receiver: WebhookEndpointView }) {
  const trpc = useTRPC();
  const refresh = useInvalidate('webhooks');
  const replay = useReplay(receiver.id);
  const [isConfirming, setConfirming] = useState(false);
  const resend = useMutation(
    trpc.webhooks.replayOne.mutationOptions({
      onSuccess: (queued) => toast.success(queued.kind === 'replay' ? 'It is sent again' : 'It is tried now'),
      onError: (error) => toast.error(firstErrorMessage(error)),
      onSettled: refresh,
    }),
  );
  const { id, sequence, kind, state } = delivery;
  if (kind === 'test') return null;
  if (!receiver.enabled)
    return <p className="text-muted">The receiver is switched off. Switch it on to send this again.</p>;
  return (
    <div className="flex flex-wrap gap-2">
      {state !== 'held' && state !== 'sending' && (
        <Button
          variant="primary"
          pending={resend.isPending}
          onClick={() => resend.mutate({ id: receiver.id, delivery_id: id })}
        >
          {state === 'waiting' ? 'Try now' : 'Send again'}
        </Button>
      )}
      <Button onClick={() => setConfirming(true)}>Send again from here on</Button>
      {isConfirming && (
        <ConfirmDialog
          title={`Send everything again from number ${sequence} on?`}
          description="This event and all later ones for this receiver go out once more. Each keeps its id and is marked as sent again."
          confirmLabel="Send again"
          confirmVariant="primary"
          keepLabel="Not now"
          act={() => replay({ after_sequence: sequence - 1 })}
          done="They are on their way"
          refresh={refresh}
          onClose={() => setConfirming(false)}
        />
      )}
    </div>
  );
}
