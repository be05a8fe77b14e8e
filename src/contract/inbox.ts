import { z } from 'zod';
import { integer, storable } from './conventions.ts';

export const ListMessagesInput = z.strictObject({
  /** Words of the address, the subject or the text, all of which must occur. */
  search: storable(100).optional(),
  size: integer(1, 1000).optional(),
});
export type ListMessagesInput = z.infer<typeof ListMessagesInput>;

/** A mail or text that a sandbox sent, as its recipient reads it. */
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
