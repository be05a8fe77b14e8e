import { z } from 'zod';
import { Id, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import {
  MESSAGE_CHANNELS,
  MESSAGE_KINDS,
  type MessageChannel,
  type MessageKind,
  UNSENT_REASONS,
  type UnsentReason,
} from './message-templates.ts';
import { PatientId } from './patients.ts';

export const MessageState = z.enum(['planned', 'sending', 'sent', 'failed', 'skipped']);
const Why = z.enum(Object.keys(UNSENT_REASONS) as [UnsentReason, ...UnsentReason[]]);
const AppointmentId = Id.meta({ description: "The appointment's id.", examples: [EXAMPLE.appointmentId] });
const MessageId = Id.meta({ description: "The message's id.", examples: ['01981e2a-6f00-7000-8000-000000000101'] });

/** A planned or sent message about an appointment, without its text. */
export const VisitMessageView = z
  .object({
    id: MessageId,
    appointment_id: AppointmentId,
    patient_id: PatientId,
    kind: z.enum(MESSAGE_KINDS),
    channel: z.enum(MESSAGE_CHANNELS),
    minutes_before: z
      .int()
      .nullable()
      .meta({ description: 'For reminders: the number of minutes before the appointment.', examples: [1440] }),
    visit_at: UtcInstant.meta({ description: 'The time of the appointment that the message is about.' }),
    due_at: UtcInstant.meta({ description: 'When it is or was due.' }),
    state: MessageState.meta({
      description:
        '`sending` ends within minutes; for `failed` and `skipped`, `why` has the reason, and for `planned` the one why it would be withheld today.',
      examples: ['sent'],
    }),
    why: Why.nullable().meta({ examples: [null] }),
    delivery: z
      .enum(['delivered', 'not_delivered'])
      .nullable()
      .meta({
        description:
          'For sent text messages: the delivery status, if the carrier reports it; `why` has the reason when it was not delivered.',
        examples: ['delivered'],
      }),
    sent_at: UtcInstant.nullable(),
    created_at: UtcInstant,
  })
  .meta({ component: 'VisitMessage' });
export type VisitMessageView = z.infer<typeof VisitMessageView>;

export const ListVisitMessagesInput = z.strictObject({ id: AppointmentId });
export type ListVisitMessagesInput = z.infer<typeof ListVisitMessagesInput>;
export const VisitMessageInput = z.strictObject({ id: AppointmentId, message_id: MessageId });
export type VisitMessageInput = z.infer<typeof VisitMessageInput>;

/** A change of an appointment that staff are about to make. */
export const PreviewNoticeInput = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('book'), patient_id: Id }),
  z.strictObject({ action: z.enum(['move', 'cancel']), id: Id }),
]);
export type PreviewNoticeInput = z.infer<typeof PreviewNoticeInput>;

/** The message that a change would send to the patient, and where, or why not. */
export type NoticePreview = {
  patient_id: string;
  kind: Exclude<MessageKind, 'reminder'>;
  channel: MessageChannel;
  /** Null when there is none on record. */
  address: string | null;
  why: UnsentReason | null;
};
