import { z } from 'zod';
import { Id, text, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { MESSAGE_CHANNELS, type MessageChannel } from './message-words.ts';

/** Why something is sent, or not: who said so, and how. */
export const CHOICE_REASONS = ['stop', 'start', 'bounced', 'complained', 'unsubscribed', 'patient', 'staff'] as const;
export type ChoiceReason = (typeof CHOICE_REASONS)[number];

const Channel = z.enum(MESSAGE_CHANNELS).meta({
  description: 'How messages are sent that nobody asks for: reminders, and news of visits.',
  examples: ['sms'],
});
const State = z.enum(['allowed', 'stopped']).meta({ examples: ['stopped'] });
const Reason = z.enum(CHOICE_REASONS).meta({
  description:
    '`stop` and `start`: the number answered so. `bounced`: nothing can be delivered there. `complained`: it was reported as unwanted. `unsubscribed`: by the link in a message. `patient`: on their page of choices. `staff`: noted by staff, or by an application.',
  examples: ['stop'],
});
const ourNumber = z
  .string()
  .nullable()
  .meta({
    description: 'The number of ours that was answered; a text START to it undoes a `stop`.',
    examples: ['+12025550100'],
  });

export const MessageChoicesInput = z.strictObject({ id: Id });
export type MessageChoicesInput = z.infer<typeof MessageChoicesInput>;

/** What a patient said to somebody, noted with their words. */
export const NoteChoiceInput = z.strictObject({
  id: Id,
  channel: Channel,
  state: State,
  words: text(500).meta({
    description: 'What the patient said, and how; kept with it.',
    examples: ['Asked at the desk not to be texted any more.'],
  }),
});
export type NoteChoiceInput = z.infer<typeof NoteChoiceInput>;

export const MessageChoiceView = z.object({
  id: Id,
  channel: Channel,
  state: State,
  because: Reason,
  address: z
    .string()
    .nullable()
    .meta({ description: 'The address or number that it was about.', examples: ['+12025550142'] }),
  sender: ourNumber,
  words: z
    .string()
    .nullable()
    .meta({ description: 'What was written or noted, where there are words.', examples: ['STOP'] }),
  by: z
    .string()
    .nullable()
    .meta({ description: 'The name of who noted it, where they still work here.', examples: [null] }),
  at: UtcInstant,
});
export type MessageChoiceView = z.infer<typeof MessageChoiceView>;

/** How it stands with one way to send. */
export const ChannelChoiceView = z.object({
  channel: Channel,
  address: z
    .string()
    .nullable()
    .meta({ description: 'Where it would go; null where there is none.', examples: ['+12025550142'] }),
  state: State,
  because: Reason.nullable().meta({ description: 'Null where nothing was ever said.' }),
  sender: ourNumber,
  since: UtcInstant.nullable(),
  sign_in_codes: State.nullable().meta({
    description:
      'Of text messages: whether sign-in codes arrive; they are `stopped` where the number answered STOP to their sender.',
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
    history: z.array(MessageChoiceView).meta({ description: 'The latest first, at most 100.' }),
  })
  .meta({ component: 'MessageChoices' });
export type MessageChoicesView = z.infer<typeof MessageChoicesView>;

const ChoicesToken = z.string().min(1).max(200);
export const OpenChoicesInput = z.strictObject({ token: ChoicesToken });
export type OpenChoicesInput = z.infer<typeof OpenChoicesInput>;
export const ChangeChoiceInput = z.strictObject({ token: ChoicesToken, channel: Channel, state: State });
export type ChangeChoiceInput = z.infer<typeof ChangeChoiceInput>;

/** The page of choices behind the link in a message: nothing of who it is. */
export type ChoicesPageView = {
  clinic: string;
  channels: {
    channel: MessageChannel;
    state: 'allowed' | 'stopped';
    because: ChoiceReason | null;
    sender: string | null;
  }[];
};
