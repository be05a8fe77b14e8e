import type { TimelineChange, TimelineSection } from './section.ts';

const CHANNEL_LABELS: Record<string, string> = { email: 'by email', sms: 'by text' };
const REASON_LABELS: Record<string, string> = {
  stop: 'The phone answered STOP',
  start: 'The phone answered START',
  bounced: 'Nothing can be delivered to the address',
  complained: 'A message was reported as unwanted',
  unsubscribed: 'With the link in an email',
  patient: 'The patient chose so',
  staff: 'As the patient told the clinic',
};

const line =
  (what: string) =>
  ({ details: { channel, because } }: TimelineChange) => ({
    title: `${what} ${CHANNEL_LABELS[String(channel)] ?? ''}`.trim(),
    note: REASON_LABELS[String(because)],
  });

/** The patient's choices about reminders. */
export const choicesSection: TimelineSection = {
  kind: 'messages',
  texts: {
    'message_choices.stop': line('No more reminders'),
    'message_choices.allow': line('Reminders again'),
  },
};
