import type { ChannelChoiceView, ChoiceReason } from '#contract/message-choices.ts';
import type { MessageChannel } from '#contract/message-templates.ts';

export const CHANNEL_LABELS: Record<MessageChannel, string> = { email: 'by email', sms: 'by text' };

const STOP_REASONS: Record<ChoiceReason, string> = {
  stop: 'they answered STOP',
  bounced: 'nothing can be delivered there',
  complained: 'a message was reported as unwanted',
  unsubscribed: 'they ended them with the link in an email',
  patient: 'they chose so',
  staff: 'they told the clinic',
  start: '',
};
/** Reasons that come from the address stop all unrequested messages, not only reminders. */
const ADDRESS_REASONS: (ChoiceReason | null)[] = ['stop', 'bounced', 'complained'];
const ALLOW_REASONS: Partial<Record<ChoiceReason, string>> = {
  start: 'they answered START',
  staff: 'they told the clinic',
  patient: 'they chose so',
};

/** `No reminders by text: they answered STOP`; the date is shown next to it. */
export function choiceLabel({ channel, state, because, address }: ChannelChoiceView): string {
  const messages = ADDRESS_REASONS.includes(because) ? 'reminders or news of appointments' : 'reminders';
  if (state === 'stopped') return `No ${messages} ${CHANNEL_LABELS[channel]}: ${STOP_REASONS[because ?? 'staff']}`;
  if (!address) return channel === 'email' ? 'No email address' : 'No phone number';
  const reason = because && ALLOW_REASONS[because];
  return reason
    ? `Gets reminders ${CHANNEL_LABELS[channel]}: ${reason}`
    : `May get reminders ${CHANNEL_LABELS[channel]}`;
}

/** What must be done before reminders are sent again, where staff alone cannot change that. */
export function resumeMessage(
  { because, sender }: Pick<ChannelChoiceView, 'because' | 'sender'>,
  format: (number: string) => string,
): string | null {
  if (because === 'stop')
    return `Only they can undo this: by a text START from their phone${sender ? ` to ${format(sender)}` : ''}.`;
  if (because === 'complained') return 'Only they can undo this: with the link in an email of the clinic.';
  return null;
}

export const REASON_LABELS: Record<ChoiceReason, string> = {
  stop: 'Answered STOP',
  start: 'Answered START',
  bounced: 'Nothing could be delivered',
  complained: 'Reported a message as unwanted',
  unsubscribed: 'Ended reminders with the link in an email',
  patient: 'Chose on their page',
  staff: 'Noted by staff',
};
