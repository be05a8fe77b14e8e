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
export async function readInbox({ inboxUrl, providerTimeoutMs }: Config, tenantId: string): Promise<InboxMessage[]> {
  if (!inboxUrl) throw notFound('inbox');
  try {
    const answer = await fetch(`${inboxUrl}/messages?tenant=${encodeURIComponent(tenantId)}`, {
      redirect: 'error',
      signal: AbortSignal.timeout(providerTimeoutMs),
    });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return InboxMessages.parse(await answer.json()).filter(({ tenant }) => tenant === tenantId);
  } catch {
    throw refuse('provider_unavailable', 'The inbox at INBOX_URL gives no answer; start it and try again.');
  }
}
