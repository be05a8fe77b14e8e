import { UNSENT_REASONS, type UnsentReason } from '#contract/message-templates.ts';
import type { TimelineChange, TimelineSection, TimelineText } from './section.ts';

const KIND_LABELS: Record<string, string> = {
  confirmation: 'The confirmation of an appointment',
  move: 'The notice that an appointment was moved',
  cancellation: 'The notice that an appointment was canceled',
  reminder: 'A reminder of an appointment',
};

/** Title and reason of a line about a message; `outcome` is its predicate. */
export function titleOf(
  { kind, channel, why }: TimelineChange['details'],
  outcome: string,
): Exclude<TimelineText, string> {
  const channelLabel = channel === 'sms' ? ' by text' : channel === 'email' ? ' by email' : '';
  const title = `${KIND_LABELS[String(kind)] ?? 'A message'} ${outcome}${channelLabel}`;
  return { title, note: UNSENT_REASONS[String(why) as UnsentReason] };
}

export const messagesSection: TimelineSection = {
  kind: 'messages',
  texts: {
    'message.sent': ({ details }: TimelineChange) => titleOf(details, 'was sent'),
    'message.failed': ({ details }: TimelineChange) => titleOf(details, 'could not be sent'),
    'appointment_messages.deliver': ({ details }: TimelineChange) => titleOf(details, 'was delivered'),
    'appointment_messages.fail_delivery': ({ details }: TimelineChange) => titleOf(details, 'did not arrive'),
    'appointment_messages.send': ({ details }: TimelineChange) => titleOf(details, 'was sent'),
    'appointment_messages.fail': ({ details }: TimelineChange) => titleOf(details, 'could not be sent'),
    'appointment_messages.send_again': ({ details }: TimelineChange) => titleOf(details, 'was queued to be sent again'),
    'appointment_messages.withhold': ({ details }: TimelineChange) => titleOf(details, 'was not sent'),
    'appointment_messages.skip': ({ details }: TimelineChange) => titleOf(details, 'was withheld'),
  },
};
