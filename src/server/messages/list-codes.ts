import ipaddr from 'ipaddr.js';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { CodeView, ListCodesInput } from '#contract/inbox.ts';
import { isLocalOrigin } from '#contract/websites.ts';
import type { Services } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { readMessagesTo } from '#server/providers/inbox.ts';
import { codeIn } from './list-messages.ts';

/** As the inbox writes it: a number by its digits, however it was typed. */
const addressOf = (to: string): string =>
  to.includes('@') ? to : (parsePhoneNumberFromString(to, { defaultCountry: 'US', extract: false })?.number ?? to);

/** Who asks: the peer, and the names by which its request came. */
export type AskedFrom = { ip: string; host: string | null; origin: string | null; isForwarded: boolean };

/**
 * Whether somebody may as well ask the sandbox's inbox itself, which listens on this machine alone. A sandbox that
 * others reach has another address, or is reached from another machine, by a tunnel, or by another name for this one.
 */
const isOnThisMachine = (publicUrl: string, { ip, host, origin, isForwarded }: AskedFrom): boolean =>
  isLocalOrigin(new URL(publicUrl).origin) &&
  ipaddr.isValid(ip) &&
  ipaddr.process(ip).range() === 'loopback' &&
  isLocalOrigin(`http://${host}`) &&
  (origin === null || isLocalOrigin(origin)) &&
  !isForwarded;

/**
 * The codes that were sent to a patient, newest first, so that a page of the sandbox shows them where they are waited
 * for. What was sent to who works here stays with them.
 */
export async function listCodes(
  { config }: Services,
  { to, after }: ListCodesInput,
  from: AskedFrom,
): Promise<{ items: CodeView[] }> {
  const { environment, inboxUrl, publicUrl } = config;
  if (environment !== 'sandbox' || !inboxUrl || !isOnThisMachine(publicUrl, from)) throw notFound('inbox');
  const sent = await readMessagesTo(config, addressOf(to));
  const items = sent.flatMap(({ kind, receivedAt, text, tenant, staff }) => {
    const code = tenant && !staff && Date.parse(receivedAt) >= Date.parse(after) ? codeIn(text) : null;
    return code ? [{ code, kind, received_at: receivedAt }] : [];
  });
  return { items };
}
