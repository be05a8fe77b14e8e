import { z } from 'zod';
import type { Config } from '../core/config.ts';
import { notFound, refuse } from '../core/errors.ts';

const InboxMessages = z.array(
  z.object({
    id: z.string(),
    kind: z.enum(['email', 'sms']),
    receivedAt: z.iso.datetime(),
    from: z.string(),
    to: z.array(z.string()),
    subject: z.string(),
    text: z.string(),
  }),
);
export type InboxMessage = z.infer<typeof InboxMessages>[number];

/** All that the inbox of a sandbox has kept, newest first. */
export async function readInbox({ inboxUrl, providerTimeoutMs }: Config): Promise<InboxMessage[]> {
  if (!inboxUrl) throw notFound('inbox');
  try {
    const answer = await fetch(`${inboxUrl}/messages`, {
      redirect: 'error',
      signal: AbortSignal.timeout(providerTimeoutMs),
    });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return InboxMessages.parse(await answer.json());
  } catch {
    throw refuse('provider_unavailable', 'The inbox at INBOX_URL gives no answer; start it and try again.');
  }
}
