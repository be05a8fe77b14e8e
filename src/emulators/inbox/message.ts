/** A received message. Plain JSON, as the inbox returns it. */
export interface Message {
  id: string;
  kind: 'email' | 'sms';
  /** RFC 3339, by the emulator's clock. */
  receivedAt: string;
  from: string;
  /** Every envelope recipient, including blind copies. */
  to: string[];
  /** Empty for SMS. */
  subject: string;
  text: string;
  /** Empty when the message has no HTML part. */
  html: string;
  /** `text` is set for calendar entries only. */
  attachments: { filename: string; mimeType: string; bytes: number; text?: string }[];
  /** The tenant that the message was sent for, from the `X-Carelane-Tenant` header; null without it. */
  tenant: string | null;
  /** The one-click unsubscribe URL of the `List-Unsubscribe` header; null without it. */
  unsubscribe?: string | null;
  /** For texts: Twilio's message id, and the URL that receives status reports. */
  sid?: string;
  statusCallback?: string | null;
  /** The staff user that the message is for, from the `X-Carelane-Staff` header; null without it. */
  staff: string | null;
}

/** Headers that name a message's tenant and staff user, for email and for Twilio requests. Lower case. */
export const STAMPS = { tenant: 'x-carelane-tenant', staff: 'x-carelane-staff' } as const;

export interface InboxState {
  /** Newest last. */
  messages: Message[];
  nextId: number;
  /** How many more emails the server rejects temporarily. */
  mailsToRefuse: number;
  /** Blocked pairs `{sender} {recipient}` after STOP. Absent in state that an earlier version stored. */
  blocked?: string[];
}

const MAX_MESSAGES = 1000;

export const emptyInbox = (): InboxState => ({ messages: [], nextId: 1, mailsToRefuse: 0 });

/** Stores the message and deletes the oldest beyond 1000. */
export function storeMessage(state: InboxState, message: Omit<Message, 'id'>): Message {
  const stored = { id: `msg_${state.nextId++}`, ...message };
  state.messages.push(stored);
  state.messages.splice(0, state.messages.length - MAX_MESSAGES);
  return stored;
}

export const senderToRecipient = (sender: string, recipient: string): string => `${sender} ${recipient}`;
/** Returns true when the recipient has sent STOP to this sender; other senders are not affected. */
export const isBlocked = ({ blocked = [] }: InboxState, sender: string, recipient: string): boolean =>
  blocked.includes(senderToRecipient(sender, recipient));
