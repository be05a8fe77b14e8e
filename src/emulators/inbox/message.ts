/** What reached somebody. Plain JSON, as the inbox shows it. */
export interface Message {
  id: string;
  kind: 'email' | 'sms';
  /** RFC 3339, by the emulator's clock. */
  receivedAt: string;
  from: string;
  /** Every address that the sender named to the server, so blind copies too. */
  to: string[];
  /** Empty for SMS. */
  subject: string;
  text: string;
  /** Empty when the message has no HTML part. */
  html: string;
  /** `text` of a calendar's entry alone. */
  attachments: { filename: string; mimeType: string; bytes: number; text?: string }[];
  /** The clinic that it was sent for, as the sender's `X-Carelane-Tenant` says; null when that is silent. */
  tenant: string | null;
  /** Where one click ends such mails, as `List-Unsubscribe` says; null without it. */
  unsubscribe?: string | null;
  /** Of a text: Twilio's name of it, and where it wants to be told how far it came. */
  sid?: string;
  statusCallback?: string | null;
  /** The member of that clinic's team whom it is for, by `X-Carelane-Staff`. */
  staff: string | null;
}

/** The headers that say for whom something is sent, of a mail and of a request to Twilio alike. In lower case. */
export const STAMPS = { tenant: 'x-carelane-tenant', staff: 'x-carelane-staff' } as const;

export interface InboxState {
  /** Newest last. */
  messages: Message[];
  nextId: number;
  /** How many more mails the server refuses for now. */
  mailsToRefuse: number;
  /** Who told which sender STOP: `{sender} {number}`. State that was kept before has none. */
  blocked?: string[];
}

const KEPT_MESSAGES = 1000;

export const emptyInbox = (): InboxState => ({ messages: [], nextId: 1, mailsToRefuse: 0 });

/** Keeps the message and forgets the oldest beyond a thousand. */
export function keepMessage(state: InboxState, message: Omit<Message, 'id'>): Message {
  const kept = { id: `msg_${state.nextId++}`, ...message };
  state.messages.push(kept);
  state.messages.splice(0, state.messages.length - KEPT_MESSAGES);
  return kept;
}

export const senderToRecipient = (sender: string, recipient: string): string => `${sender} ${recipient}`;
/** Whether the recipient has told this sender STOP; another sender reaches them all the same. */
export const isBlocked = ({ blocked = [] }: InboxState, sender: string, recipient: string): boolean =>
  blocked.includes(senderToRecipient(sender, recipient));
