'use client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { UNSENT_REASONS } from '#contract/message-templates.ts';
import type { AppointmentView } from '#contract/scheduling.ts';
import type { VisitMessageView } from '#contract/visit-messages.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Badge, type Tone } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { pluralize } from '#web/ui/count-label.ts';
import { DateTime } from '#web/ui/date-time.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { useMay } from '../me.tsx';
import { useNow } from '../now.tsx';
import { messageAction } from './message-action.ts';

const KINDS = { confirmation: 'Confirmation', move: 'Notice of the move', cancellation: 'Notice of the cancellation' };

function durationLabel(minutes: number): string {
  if (minutes % 1440 === 0) return pluralize(minutes / 1440, 'day');
  return minutes % 60 === 0 ? pluralize(minutes / 60, 'hour') : pluralize(minutes, 'minute');
}

/** "Reminder 1 day before, by email" */
function nameOf({ kind, minutes_before, channel }: VisitMessageView): string {
  const kindLabel = kind === 'reminder' ? `Reminder ${durationLabel(minutes_before ?? 0)} before` : KINDS[kind];
  return `${kindLabel}, by ${channel === 'sms' ? 'text' : 'email'}`;
}

const STATES: Record<VisitMessageView['state'], [label: string, tone: Tone]> = {
  planned: ['Planned', 'info'],
  sending: ['Being sent', 'info'],
  sent: ['Sent', 'good'],
  failed: ['Not sent', 'danger'],
  skipped: ['Will not be sent', 'neutral'],
};
/** A message whose sending broke off may have arrived; a planned one with a reason would be withheld. */
function labelOf({ state, why, delivery }: VisitMessageView): [label: string, tone: Tone] {
  if (delivery !== null) return delivery === 'delivered' ? ['Delivered', 'good'] : ['Not delivered', 'danger'];
  if (state === 'planned' && why !== null) return STATES.skipped;
  return state === 'failed' && why === 'unknown' ? ['Not known', 'warn'] : STATES[state];
}
/** Polling interval while a message is being sent; changes to planned messages come as live events. */
const POLL_INTERVAL_MS = 3_000;

export function useAppointmentMessages(appointmentId: string) {
  const trpc = useTRPC();
  const now = useNow();
  return useQuery({
    ...trpc.appointmentMessages.list.queryOptions({ id: appointmentId }),
    refetchInterval: ({ state }) =>
      state.data?.some(
        (message) =>
          message.state === 'sending' ||
          (message.state === 'planned' && Date.parse(message.due_at) <= now) ||
          // Carriers report the delivery within a minute, usually.
          (message.channel === 'sms' && !message.delivery && Date.parse(message.sent_at ?? '') > now - 120_000),
      )
        ? POLL_INTERVAL_MS
        : false,
  });
}

/** Messages to the patient about one appointment: planned ones, sent ones, and their delivery. */
export function AppointmentMessages({ appointment }: { appointment: AppointmentView }) {
  const messages = useAppointmentMessages(appointment.id);
  return (
    <section aria-labelledby="messages" className="grid gap-2">
      <h2 id="messages" className="font-semibold">
        Messages to the patient
      </h2>
      <Card className="overflow-hidden">
        {messages.error ? (
          <ErrorState error={messages.error} onRetry={() => void messages.refetch()} />
        ) : !messages.data ? (
          <Skeleton className="m-4 h-20" />
        ) : messages.data.length === 0 ? (
          <p className="px-4 py-3 text-muted">No messages are sent about this appointment.</p>
        ) : (
          <ul className="divide-y divide-line">
            {messages.data.map((message) => (
              <MessageItem key={message.id} message={message} appointment={appointment} />
            ))}
          </ul>
        )}
      </Card>
    </section>
  );
}

type MessageProps = { message: VisitMessageView; appointment: AppointmentView };

function MessageItem({ message, appointment }: MessageProps) {
  const { why, due_at, sent_at } = message;
  const [label, tone] = labelOf(message);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 grow basis-60 max-md:basis-full">
        <p>{nameOf(message)}</p>
        <p className="text-[13px] text-muted">
          <DateTime value={sent_at ?? due_at} />
          {why && <> · {UNSENT_REASONS[why]}</>}
        </p>
      </div>
      <Badge tone={tone} dot>
        {label}
      </Badge>
      <MessageAction message={message} appointment={appointment} />
    </li>
  );
}

function MessageAction({ message, appointment }: MessageProps) {
  const { id, appointment_id, state } = message;
  const client = useTRPCClient();
  const refresh = useInvalidate('appointmentMessages');
  const maySend = useMay('appointments:write');
  const action = messageAction(message, appointment, useNow());
  const isPlanned = action === 'skip';
  const act = useMutation({
    mutationFn: () => {
      const input = { id: appointment_id, message_id: id };
      return isPlanned
        ? client.appointmentMessages.skip.mutate(input)
        : client.appointmentMessages.sendAgain.mutate(input);
    },
    onSuccess: () => toast.success(isPlanned ? 'It will not be sent' : 'It is being sent again'),
    onError: (error) => toast.error(firstErrorMessage(error)),
    onSettled: refresh,
  });
  if (!maySend || !action) return null;
  const actionLabel = isPlanned ? 'Don’t send' : state === 'skipped' ? 'Send now' : 'Send again';
  return (
    <Button
      size="sm"
      pending={act.isPending}
      onClick={() => act.mutate()}
      aria-label={`${actionLabel}: ${nameOf(message)}`}
    >
      {actionLabel}
    </Button>
  );
}
