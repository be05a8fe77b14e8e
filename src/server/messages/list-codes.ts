import ipaddr from 'ipaddr.js';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { CodeView, ListCodesInput } from '#contract/inbox.ts';
import { isLocalOrigin } from '#contract/websites.ts';
import type { Services } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { listMessagesTo } from '#server/providers/inbox.ts';
import { codeIn } from './inbox.ts';

/** Formats an address as the inbox stores it: a phone number in E.164. */
const addressOf = (to: string): string =>
  to.includes('@') ? to : (parsePhoneNumberFromString(to, { defaultCountry: 'US', extract: false })?.number ?? to);

/** Origin of the request: the peer's IP address, and the names in its headers. */
type RequestOrigin = { ip: string; host: string | null; origin: string | null; isForwarded: boolean };

/**
 * Returns whether the client could read the sandbox's inbox directly, which listens on this machine only. A sandbox
 * that others use has another address, or is reached from another machine, through a tunnel, or by another name.
 */
const isOnThisMachine = (publicUrl: string, { ip, host, origin, isForwarded }: RequestOrigin): boolean =>
  isLocalOrigin(new URL(publicUrl).origin) &&
  ipaddr.isValid(ip) &&
  ipaddr.process(ip).range() === 'loopback' &&
  isLocalOrigin(`http://${host}`) &&
  (origin === null || isLocalOrigin(origin)) &&
  !isForwarded;

/**
 * Lists the codes sent to a patient, newest first, so that a sandbox page can show them next to their input. Codes of
 * staff users are not listed.
 */
export async function listCodes(
  { config }: Services,
  { to, after }: ListCodesInput,
  from: RequestOrigin,
): Promise<{ items: CodeView[] }> {
  const { environment, inboxUrl, publicUrl } = config;
  if (environment !== 'sandbox' || !inboxUrl || !isOnThisMachine(publicUrl, from)) throw notFound('inbox');
  const sent = await listMessagesTo(config, addressOf(to));
  const items = sent.flatMap(({ kind, receivedAt, text, tenant, staff }) => {
    const code = tenant && !staff && Date.parse(receivedAt) >= Date.parse(after) ? codeIn(text) : null;
    return code ? [{ code, kind, received_at: receivedAt }] : [];
  });
  return { items };
}
