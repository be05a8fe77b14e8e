import { isOnWebsite } from '#contract/websites.ts';
import { type Services, systemContext } from '#server/core/context.ts';
import type { FindAppLink } from '#server/messages/index.ts';
import { configurationToken, publicClients } from '../public-client.ts';
import { readAllowedOrigins } from './allowed-origins.ts';

type Message = Parameters<FindAppLink>[2];

/**
 * Returns the page of the clinic's own app that a message links to, or null; an address is used only while its origin
 * is allowed. An email link carries the configuration token in the fragment, which no server sees, but neither the code
 * nor the email address: links are stored, forwarded and opened by scanners. A text message has the address alone: the
 * app has its token, and each 160 characters cost money.
 */
export async function appLink(services: Services, tenantId: string, message: Message): Promise<string | null> {
  if (!hasAppLink(message)) return null;
  const ctx = systemContext(services, tenantId, 'send_message');
  const candidates = await addressesOf(services, tenantId, message);
  if (candidates.length === 0) return null;
  const origins = await readAllowedOrigins(ctx.db, tenantId);
  const address = candidates.find((candidate) => isOnWebsite(candidate, origins, services.config.environment));
  if (!address) return null;
  if (message.kind === 'phone_invitation') return address;
  const { credentials } = await publicClients(ctx);
  return `${address}#${configurationToken(ctx, 'credentials', credentials)}`;
}

type LinkedMessage = Extract<
  Message,
  { kind: 'invitation' | 'email_helped' | 'phone_invitation' | 'reset_code' | 'confirmation_code' }
>;

const KINDS = [
  'invitation',
  'email_helped',
  'phone_invitation',
  'reset_code',
  'confirmation_code',
] satisfies LinkedMessage['kind'][];
const hasAppLink = (message: Message): message is LinkedMessage => (KINDS as string[]).includes(message.kind);

/** Candidate addresses, the most specific first. */
async function addressesOf({ database }: Services, tenantId: string, message: LinkedMessage): Promise<string[]> {
  const { invitationUrl, resetUrl, confirmationUrl } = await database
    .forTenant(tenantId)
    .tenant.findUniqueOrThrow({ where: { id: tenantId } });
  const candidates = {
    reset_code: [resetUrl],
    confirmation_code: [confirmationUrl],
    invitation: ['address' in message ? message.address : null, invitationUrl],
    email_helped: ['address' in message ? message.address : null, invitationUrl],
    phone_invitation: ['address' in message ? message.address : null, invitationUrl],
  }[message.kind];
  return candidates.flatMap((address) => address ?? []);
}
