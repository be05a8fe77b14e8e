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
    // What was kept before messages said so has neither.
    tenant: z.string().nullish(),
    staff: z.string().nullish(),
  }),
);
export type InboxMessage = z.infer<typeof InboxMessages>[number];

/** For whom something is sent: a clinic and, where it is for one of its team, that member. */
export type Stamp = { tenantId: string; staffUserId?: string | undefined };

/**
 * What says so to the inbox of a sandbox, as headers of a mail or of a request to Twilio; nothing anywhere else. The
 * inbox shows each clinic what was sent for it by this alone: an address may be known to several.
 */
export const stampHeaders = (
  { environment, inboxUrl }: Config,
  { tenantId, staffUserId }: Stamp,
): Record<string, string> =>
  environment === 'sandbox' && inboxUrl
    ? { 'X-Carelane-Tenant': tenantId, ...(staffUserId && { 'X-Carelane-Staff': staffUserId }) }
    : {};

/** What the inbox of a sandbox has kept for one clinic, newest first. */
export const readInbox = async (config: Config, tenantId: string): Promise<InboxMessage[]> =>
  (await readMessages(config, { tenant: tenantId })).filter(({ tenant }) => tenant === tenantId);

/** What it has kept for one address or number, newest first. */
export const readMessagesTo = (config: Config, to: string): Promise<InboxMessage[]> => readMessages(config, { to });

async function readMessages(
  { inboxUrl, providerTimeoutMs }: Config,
  query: Record<string, string>,
): Promise<InboxMessage[]> {
  if (!inboxUrl) throw notFound('inbox');
  try {
    const answer = await fetch(`${inboxUrl}/messages?${new URLSearchParams(query)}`, {
      redirect: 'error',
      signal: AbortSignal.timeout(providerTimeoutMs),
    });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return InboxMessages.parse(await answer.json());
  } catch {
    throw refuse('provider_unavailable', 'The inbox at INBOX_URL gives no answer; start it and try again.');
  }
}

/** Writes back to a text message of the sandbox's, in the name of who got it; the inbox plays what Twilio does about it. */
export async function replyInInbox(
  { inboxUrl, providerTimeoutMs }: Config,
  { id, text }: { id: string; text: string },
): Promise<void> {
  const answer = await fetch(`${inboxUrl}/messages/${encodeURIComponent(id)}/reply`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
    redirect: 'error',
    signal: AbortSignal.timeout(providerTimeoutMs),
  }).catch(() => null);
  if (!answer?.ok) throw refuse('provider_unavailable', 'The inbox at INBOX_URL did not take the message; try again.');
}
