import type { MessageView } from '#contract/inbox.ts';
import type { InboxMessage } from '../providers/inbox.ts';

const SIX_DIGITS = /(?<![\w+.-])\d{6}(?![\w-])/;

export function presentMessage({ id, kind, receivedAt, from, to, subject, text }: InboxMessage): MessageView {
  return {
    id,
    kind,
    received_at: receivedAt,
    from,
    to,
    subject: kind === 'email' ? subject : null,
    text: text.trim(),
    code: SIX_DIGITS.exec(text)?.[0] ?? null,
  };
}
