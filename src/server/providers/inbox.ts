import { z } from 'zod';
import type { Config } from '../core/config.ts';
import { apiError, notFound } from '../core/errors.ts';

const InboxMessages = z.array(
  z.object({
    id: z.string(),
    kind: z.enum(['email', 'sms']),
    receivedAt: z.iso.datetime(),
    from: z.string(),
    to: z.array(z.string()),
    subject: z.string(),
    text: z.string(),
    // Messages stored before these fields existed have neither.
    tenant: z.string().nullish(),
    staff: z.string().nullish(),
  }),
);
export type InboxMessage = z.infer<typeof InboxMessages>[number];

/** The recipient of a message: a clinic and, for one of its staff, the staff user. */
export type Stamp = { tenantId: string; staffUserId?: string | undefined };

/**
 * Returns headers of an email or of a request to Twilio that name the recipient's clinic to a sandbox's inbox; none
 * elsewhere. The inbox shows each clinic its messages by these alone, because several clinics may know an address.
 */
export const stampHeaders = (
  { environment, inboxUrl }: Config,
  { tenantId, staffUserId }: Stamp,
): Record<string, string> =>
  environment === 'sandbox' && inboxUrl
    ? { 'X-Carelane-Tenant': tenantId, ...(staffUserId && { 'X-Carelane-Staff': staffUserId }) }
    : {};

/** Lists the messages in a sandbox's inbox for one clinic, newest first. @throws `not_found`, `provider_unavailable` */
export const listInboxMessages = async (config: Config, tenantId: string): Promise<InboxMessage[]> =>
  (await readMessages(config, { tenant: tenantId })).filter(({ tenant }) => tenant === tenantId);

/** Lists the messages for one address or number, newest first. @throws `not_found`, `provider_unavailable` */
export const listMessagesTo = (config: Config, to: string): Promise<InboxMessage[]> => readMessages(config, { to });

async function readMessages(
  { inboxUrl, providerTimeoutMs }: Config,
  query: Record<string, string>,
): Promise<InboxMessage[]> {
  if (!inboxUrl) throw notFound('inbox');
  try {
    const response = await fetch(`${inboxUrl}/messages?${new URLSearchParams(query)}`, {
      redirect: 'error',
      signal: AbortSignal.timeout(providerTimeoutMs),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return InboxMessages.parse(await response.json());
  } catch {
    throw apiError('provider_unavailable', 'The inbox at INBOX_URL gives no answer; start it and try again.');
  }
}

/**
 * Replies to a sandbox's text message as its recipient; the inbox then acts as Twilio would.
 * @throws `provider_unavailable`
 */
export async function replyInInbox(
  { inboxUrl, providerTimeoutMs }: Config,
  { id, text }: { id: string; text: string },
): Promise<void> {
  const response = await fetch(`${inboxUrl}/messages/${encodeURIComponent(id)}/reply`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
    redirect: 'error',
    signal: AbortSignal.timeout(providerTimeoutMs),
  }).catch(() => null);
  if (!response?.ok)
    throw apiError('provider_unavailable', 'The inbox at INBOX_URL did not take the message; try again.');
}
