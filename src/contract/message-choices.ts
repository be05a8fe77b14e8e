import { z } from 'zod';
import { Id, text, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { MAX_WORDS_LENGTH } from './limits.ts';
import { MESSAGE_CHANNELS, type MessageChannel } from './message-templates.ts';

/** The origin of a choice. */
export const CHOICE_REASONS = ['stop', 'start', 'bounced', 'complained', 'unsubscribed', 'patient', 'staff'] as const;
export type ChoiceReason = (typeof CHOICE_REASONS)[number];

const Channel = z.enum(MESSAGE_CHANNELS).meta({
  description:
    'The channel of messages that the patient did not request: reminders and notifications about appointments.',
  examples: ['sms'],
});
const State = z.enum(['allowed', 'stopped']).meta({ examples: ['stopped'] });
const Reason = z.enum(CHOICE_REASONS).meta({
  description:
    "`stop` and `start`: a reply by text message. `bounced`: the address cannot receive email. `complained`: reported as unwanted. `unsubscribed`: by the link in a message. `patient`: on the patient's preferences page. `staff`: noted by staff or an application.",
  examples: ['stop'],
});
const ourNumber = z
  .string()
  .nullable()
  .meta({
    description: 'Our number that received the reply; a text START to it undoes a `stop`.',
    examples: ['+12025550100'],
  });

export const MessageChoicesInput = z.strictObject({ id: Id });
export type MessageChoicesInput = z.infer<typeof MessageChoicesInput>;

/** A choice that a patient expressed to staff, noted with the patient's words. */
export const RecordChoiceInput = z.strictObject({
  id: Id,
  channel: Channel,
  state: State,
  words: text(MAX_WORDS_LENGTH).meta({
    description: 'What the patient said, and how; stored with the choice.',
    examples: ['Asked at the desk not to be texted any more.'],
  }),
});
export type RecordChoiceInput = z.infer<typeof RecordChoiceInput>;

export const MessageChoiceView = z.object({
  id: Id,
  channel: Channel,
  state: State,
  because: Reason,
  address: z
    .string()
    .nullable()
    .meta({ description: 'The address or number that it applies to.', examples: ['+12025550142'] }),
  sender: ourNumber,
  words: z
    .string()
    .nullable()
    .meta({ description: 'What was written or noted, where there is text.', examples: ['STOP'] }),
  by: z
    .string()
    .nullable()
    .meta({ description: 'The name of the staff user who noted it, while they are on the team.', examples: [null] }),
  at: UtcInstant,
});
export type MessageChoiceView = z.infer<typeof MessageChoiceView>;

/** The state of one channel. */
export const ChannelChoiceView = z.object({
  channel: Channel,
  address: z
    .string()
    .nullable()
    .meta({
      description: 'The address or number of the patient; null when there is none.',
      examples: ['+12025550142'],
    }),
  state: State,
  because: Reason.nullable().meta({ description: 'Null when there is no choice.' }),
  sender: ourNumber,
  since: UtcInstant.nullable(),
  sign_in_codes: State.nullable().meta({
    description:
      'For text messages: whether sign-in codes arrive; `stopped` when the patient replied STOP to their sender.',
    examples: ['allowed'],
  }),
  sign_in_sender: ourNumber,
});
export type ChannelChoiceView = z.infer<typeof ChannelChoiceView>;

export const MessageChoicesView = z
  .object({
    id: Id.meta({ examples: [EXAMPLE.patientId] }),
    type: z.literal('MessageChoices').meta({ examples: ['MessageChoices'] }),
    channels: z.array(ChannelChoiceView),
    history: z.array(MessageChoiceView).meta({ description: 'Newest first, at most 100.' }),
  })
  .meta({ component: 'MessageChoices' });
export type MessageChoicesView = z.infer<typeof MessageChoicesView>;

const ChoicesToken = z.string().min(1).max(200);
export const OpenChoicesInput = z.strictObject({ token: ChoicesToken });
export type OpenChoicesInput = z.infer<typeof OpenChoicesInput>;
export const ChangeChoiceInput = z.strictObject({ token: ChoicesToken, channel: Channel, state: State });
export type ChangeChoiceInput = z.infer<typeof ChangeChoiceInput>;

/** The preferences page behind the link in a message; it does not identify the patient. */
export type ChoicesPageView = {
  clinic: string;
  channels: {
    channel: MessageChannel;
    state: 'allowed' | 'stopped';
    because: ChoiceReason | null;
    sender: string | null;
  }[];
};
