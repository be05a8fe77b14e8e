import { z } from 'zod';
import { Instant, integer, storable, text } from './conventions.ts';

export const ListMessagesInput = z.strictObject({
  /** Words that must all occur in the address, the subject or the text. */
  search: storable(100).optional(),
  size: integer(1, 1000).optional(),
});
export type ListMessagesInput = z.infer<typeof ListMessagesInput>;

/** Replies to a text message as its recipient. */
export const ReplyInput = z.strictObject({ id: storable(100), text: text(1600) });
export type ReplyInput = z.infer<typeof ReplyInput>;

/** An email or text message that a sandbox sent, as its recipient sees it. */
export type MessageView = {
  id: string;
  kind: 'email' | 'sms';
  received_at: string;
  from: string;
  to: string[];
  /** Null for text messages. */
  subject: string | null;
  text: string;
  /** The one-time code in the text. */
  code: string | null;
};

/**
 * The one-time codes that a sandbox has sent to one address or number since an instant, for the page that waits for
 * them.
 */
export const ListCodesInput = z.strictObject({ to: text(254), after: Instant });
export type ListCodesInput = z.infer<typeof ListCodesInput>;

export type CodeView = { code: string; kind: MessageView['kind']; received_at: string };
