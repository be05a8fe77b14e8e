import { z } from 'zod';
import { Id, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { MESSAGE_CHANNELS, MESSAGE_KINDS, MESSAGE_WHY, type MessageWhy } from './message-words.ts';
import { PatientId } from './patients.ts';

export const MessageState = z.enum(['planned', 'sending', 'sent', 'failed', 'skipped']);
const Why = z.enum(Object.keys(MESSAGE_WHY) as [MessageWhy, ...MessageWhy[]]);
const AppointmentId = Id.meta({ description: "The appointment's id.", examples: [EXAMPLE.appointmentId] });
const MessageId = Id.meta({ description: "The message's id.", examples: ['01981e2a-6f00-7000-8000-000000000101'] });

/** What is to be sent of a visit, or was. Never what it says. */
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
      .meta({ description: 'Of a reminder: how long before the visit.', examples: [1440] }),
    visit_at: UtcInstant.meta({ description: 'The time of the visit that it tells of.' }),
    due_at: UtcInstant.meta({ description: 'When it is sent, or was to be.' }),
    state: MessageState.meta({
      description: '`sending` ends within minutes; what `failed` or was `skipped` says why.',
      examples: ['sent'],
    }),
    why: Why.nullable().meta({ examples: [null] }),
    delivery: z
      .enum(['delivered', 'not_delivered'])
      .nullable()
      .meta({
        description:
          'Of a text that was sent: how far it came, where its carrier tells; `why` says why it did not arrive.',
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
