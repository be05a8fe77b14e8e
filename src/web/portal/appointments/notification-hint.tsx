'use client';
import { useQuery } from '@tanstack/react-query';
import { Mail, MailX } from 'lucide-react';
import type { UnsentReason } from '#contract/message-templates.ts';
import type { NoticePreview, PreviewNoticeInput } from '#contract/visit-messages.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { useTRPC } from '../../trpc-client.tsx';

const DONE: Record<NoticePreview['kind'], string> = { confirmation: 'booked', move: 'moved', cancellation: 'canceled' };

const REASONS: Partial<Record<UnsentReason, string>> = {
  off: 'your clinic has turned these messages off',
  no_address: 'there is no email address on record',
  not_in_care: 'the record is archived',
  over: 'it has begun already',
  overtaken: 'they have not been told of this appointment yet',
  bounced: 'an earlier message to {address} could not be delivered',
  complained: 'the patient reported an earlier email to {address} as unwanted',
  stopped: 'the patient stopped all messages to {address}',
  not_set_up: 'no email can be sent from here yet',
};

/** The hint in words. */
export function noticeSentence({ kind, address, why }: NoticePreview): string {
  const news = `that the appointment is ${DONE[kind]}`;
  if (!why) return `The patient (${address}) gets an email ${news}.`;
  const reason = REASONS[why]?.replace('{address}', address ?? '') ?? 'it cannot be sent';
  // Of an appointment that they do not know, they need not hear that it is canceled.
  const request = why === 'overtaken' ? '' : ' Please tell them yourself.';
  return `The patient gets no message ${news}: ${reason}.${request}`;
}

/** Says whether the patient gets an email about the change, and where, or why staff must tell them. */
export function NotificationHint({ change }: { change: PreviewNoticeInput }) {
  const trpc = useTRPC();
  const { data, error } = useQuery(trpc.appointmentMessages.preview.queryOptions(change));
  const Icon = data && !data.why ? Mail : MailX;
  return (
    <p className="mt-3 flex min-h-10 items-start gap-2 text-[13px] text-muted wrap-anywhere">
      {(data || error) && (
        <>
          <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
          {data
            ? noticeSentence(data)
            : `We could not check whether the patient gets a message. ${firstErrorMessage(error)}`}
        </>
      )}
    </p>
  );
}
