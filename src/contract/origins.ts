import { z } from 'zod';
import { APP_SHELLS, isLocalOrigin, MAX_ORIGINS } from './websites.ts';

const MAX_CHARACTERS = 300;
const MAX_HOST_CHARACTERS = 253;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Returns an origin as browsers send it in the `Origin` header (RFC 6454 §6.2), or the reason why it is rejected. */
function readOrigin(text: string): { origin: string } | { error: string } {
  const [, scheme, authority = '', rest] = /^([a-z]+):\/\/([^/?#\\]*)(.*)$/is.exec(text) ?? [];
  if (!scheme || authority === '') return { error: 'Write it whole, as in https://app.example.org' };
  if (text.includes('*')) return { error: 'Write each address by itself, without *' };
  if (authority.includes('@')) return { error: 'Leave out the user name and the password' };
  if (rest) return { error: 'Leave out everything after the name and port, a slash too' };
  const url = URL.canParse(text) ? new URL(text) : null;
  // A percent-encoded or padded host would be parsed as a different one than it appears.
  if (!url || /[%\s]/.test(authority) || !isHost(url.hostname)) return { error: 'This is not an address of a website' };
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocalOrigin(url.origin)))
    return { error: 'Begin it with https://' };
  return { origin: url.origin };
}

const isHost = (name: string): boolean =>
  name.startsWith('[') || (name.length <= MAX_HOST_CHARACTERS && name.split('.').every((label) => LABEL.test(label)));

/** `https://host[:port]`, http on the developer's own machine, or an app shell; normalised as browsers send it. */
export const WebOrigin = z
  .string()
  .trim()
  .max(MAX_CHARACTERS)
  .transform((text, { addIssue }) => {
    const shell = APP_SHELLS.find((one) => one === text.toLowerCase());
    if (shell) return shell;
    const read = readOrigin(text);
    if ('origin' in read) return read.origin;
    addIssue({ code: 'custom', message: read.error });
    return z.NEVER;
  });

/** Returns the URL of a page that an email may link to, or the reason why it is rejected. */
function readPage(text: string): { address: string } | { error: string } {
  const url = /^[a-z]+:\/\/[^/]/i.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (!url) return { error: 'Write it whole, as in https://app.example.org/invitation' };
  if (text.includes('#')) return { error: 'Leave out # and what follows: what your page needs is put there' };
  const read = readOrigin(text.replace(/^([a-z]+:\/\/[^/?\\]*).*$/is, '$1'));
  return 'error' in read ? read : { address: url.href };
}

/** `https://host[:port]/path[?query]`, or http on the developer's own machine; normalised as browsers write it. */
export const AppAddress = z
  .string()
  .trim()
  .max(MAX_CHARACTERS)
  .transform((text, { addIssue }) => {
    const read = readPage(text);
    if ('address' in read) return read.address;
    addIssue({ code: 'custom', message: read.error });
    return z.NEVER;
  })
  .meta({ override: { type: 'string', format: 'uri', maxLength: MAX_CHARACTERS } });

/**
 * The pages of the tenant's own app that its emails link to; null: the built-in page, or no link when there is none.
 */
export const SetAppAddressesInput = z.strictObject({
  invitation: AppAddress.nullable(),
  reset: AppAddress.nullable(),
  confirmation: AppAddress.nullable(),
});
export type SetAppAddressesInput = z.infer<typeof SetAppAddressesInput>;
export type AppAddressesView = Record<keyof SetAppAddressesInput, string | null>;

/** The complete list; duplicates are removed. */
export const SetAllowedOriginsInput = z.strictObject({
  origins: z
    .array(WebOrigin)
    .max(MAX_ORIGINS, `At most ${MAX_ORIGINS} can be listed`)
    .transform((origins) => [...new Set(origins)].sort()),
});
export type SetAllowedOriginsInput = z.infer<typeof SetAllowedOriginsInput>;
